"""Users: rules through the library's own methods, and what it makes of refusals."""

import unittest

import redis

from target import ServerCase, connect


class Users(ServerCase):
    def setUp(self):
        super().setUp()
        self.db = connect(decode_responses=True)
        self.addCleanup(self.db.close)
        self.addCleanup(self.db.acl_deluser, "reader", "writer")

    def test_a_user_is_made_shown_and_deleted(self):
        self.assertTrue(
            self.db.acl_setuser(
                "reader",
                enabled=True,
                passwords=["+secret"],
                categories=["+@read"],
                commands=["-keys"],
                keys=["cache:*"],
                channels=["news.*"],
            )
        )
        shown = self.db.acl_getuser("reader")
        self.assertIn("on", shown["flags"])
        self.assertEqual(len(shown["passwords"]), 1)
        self.assertIn("+@read", shown["categories"])
        self.assertIn("reader", self.db.acl_users())
        self.assertEqual(self.db.acl_deluser("reader"), 1)
        self.assertIsNone(self.db.acl_getuser("reader"))

    def test_refusals_are_exceptions_and_are_logged(self):
        self.db.acl_setuser(
            "writer", enabled=True, passwords=["+pw"], categories=["+@write"], keys=["w:*"]
        )
        self.db.acl_log_reset()
        with connect(username="writer", password="pw") as client:
            self.assertTrue(client.set("w:1", "x"))
            for refused in (lambda: client.get("w:1"), lambda: client.set("other", "x")):
                with self.assertRaises(redis.exceptions.NoPermissionError):
                    refused()
            with self.assertRaises(redis.exceptions.NoPermissionError):
                client.pipeline().set("other", "x").execute()
        log = self.db.acl_log()
        objects = [entry["object"] for entry in log]
        self.assertIn("get", objects)
        self.assertIn("other", objects)
        self.assertTrue(all(entry["username"] == "writer" for entry in log))

    def test_wrong_passwords(self):
        self.db.acl_setuser("reader", enabled=True, passwords=["+pw"])
        with connect(username="reader", password="no") as client:
            with self.assertRaises(redis.AuthenticationError):
                client.ping()

    def test_clients_of_a_deleted_user_are_disconnected(self):
        self.db.acl_setuser("reader", enabled=True, nopass=True, categories=["+@all"])
        with connect(username="reader", password="any", decode_responses=True) as client:
            self.assertEqual(client.acl_whoami(), "reader")
            users = [one["user"] for one in self.db.client_list()]
            self.assertIn("reader", users)
            self.assertEqual(self.db.acl_deluser("reader"), 1)
            with self.assertRaises((redis.ConnectionError, redis.AuthenticationError)):
                for _ in range(3):
                    client.ping()

    def test_passwords_are_made_up(self):
        self.assertEqual(len(self.db.acl_genpass()), 64)
        self.assertNotEqual(self.db.acl_genpass(128), self.db.acl_genpass(128))


if __name__ == "__main__":
    unittest.main()
