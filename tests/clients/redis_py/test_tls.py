"""Encrypted connections, with certificates that openssl makes."""

import asyncio
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import redis
import redis.asyncio

from target import COMMAND, HOST, PROTOCOL, OwnServer, free_port


def certificates(folder):
    """An authority, and certificates of a server and of a client: NAME.crt and NAME.key."""
    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=ca")
    (folder / "server.ext").write_text(f"subjectAltName=DNS:localhost,IP:{HOST}\n")
    (folder / "client.ext").write_text("extendedKeyUsage=clientAuth\n")
    for name in ("server", "client"):
        openssl("req", *key, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.crt", "-CAkey", "ca.key",
                "-CAcreateserial", "-extfile", f"{name}.ext", "-out", f"{name}.crt")


@unittest.skipUnless(COMMAND, "TEST_SERVER_COMMAND is not set")
@unittest.skipUnless(shutil.which("openssl"), "openssl is not here")
class Encrypted(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        certificates(self.folder)
        self.server, self.port = OwnServer(), free_port()
        self.addCleanup(self.server.close)
        self.server.start("--tls-port", self.port, "--tls-cert-file", self.folder / "server.crt",
                          "--tls-key-file", self.folder / "server.key",
                          "--tls-ca-cert-file", self.folder / "ca.crt")

    def options(self, client=True):
        """What a client needs; without a certificate of its own if `client` is false."""
        options = {"host": HOST, "port": self.port, "protocol": PROTOCOL, "ssl": True,
                   "ssl_ca_certs": str(self.folder / "ca.crt")}
        if client:
            options["ssl_certfile"] = str(self.folder / "client.crt")
            options["ssl_keyfile"] = str(self.folder / "client.key")
        return options

    def test_commands_pipelines_and_messages(self):
        with redis.Redis(**self.options()) as client:
            value = b"x" * 3_000_000
            self.assertTrue(client.set("k", value))
            self.assertEqual(client.get("k"), value)
            with client.pipeline(transaction=False) as pipe:
                for n in range(5000):
                    pipe.incr("n")
                self.assertEqual(pipe.execute(), list(range(1, 5001)))
            with client.pubsub() as pubsub:
                pubsub.subscribe("channel")
                self.assertEqual(pubsub.get_message(timeout=20)["type"], "subscribe")
                client.publish("channel", "hello")
                self.assertEqual(pubsub.get_message(timeout=20)["data"], b"hello")

    def test_asyncio(self):
        async def work():
            client = redis.asyncio.Redis(**self.options())

            async def one(n):
                await client.set(f"k{n}", n)
                return int(await client.get(f"k{n}"))

            self.assertEqual(await asyncio.gather(*map(one, range(100))), list(range(100)))
            await client.aclose()

        asyncio.run(work())

    def test_without_a_certificate(self):
        with redis.Redis(**self.options(client=False), retry=None) as client:
            with self.assertRaises(redis.ConnectionError):
                client.ping()
        with redis.Redis(host=HOST, port=self.port, retry=None, socket_timeout=20) as client:
            with self.assertRaises(redis.RedisError):
                client.ping()


if __name__ == "__main__":
    unittest.main()
