"""The Haystack API through phable, as it is, in both of its formats.

TEST_HOST and TEST_PORT say where the server speaks Redis's protocol, by which users and a project
are made; TEST_HTTP_PORT where it speaks HTTP.
"""

import os
import socket
import unittest
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from phable import (
    CallError,
    DateRange,
    DateTimeRange,
    Grid,
    HaxallClient,
    HaystackClient,
    Marker,
    Number,
    Ref,
    UnknownRecError,
    open_haxall_client,
)
from phable.auth.scram import AuthError

HOST = os.environ.get("TEST_HOST", "127.0.0.1")
PORT = int(os.environ["TEST_PORT"])
URI = f"http://{HOST}:{os.environ['TEST_HTTP_PORT']}/api/demo"
USER = ("su", "a pass,word=é")


def redis(*words):
    """What a command is answered, up to its first line."""
    parts = [word.encode() for word in words]
    text = b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)
    with socket.create_connection((HOST, PORT)) as server, server.makefile("rb") as replies:
        server.sendall(b"*%d\r\n%s" % (len(parts), text))
        line = replies.readline().decode().strip()
    if line.startswith("-"):
        raise AssertionError(line)
    return line


class LoginCase(unittest.TestCase):
    def setUp(self):
        redis("ACL", "SETUSER", "su", "reset", "on", ">" + USER[1], "~*", "+@all")

    def test_a_user_logs_in_and_out(self):
        for content_type in ("json", "zinc"):
            client = HaystackClient.open(URI, *USER, content_type=content_type)
            self.assertGreater(len(client._auth_token), 40)
            self.assertIn("s-", client._auth_token)
            about = client.about()
            self.assertEqual((about["vendorName"], about["whoami"]), ("Kvist", "su"))
            client.close()
            with self.assertRaises(Exception):
                client.about()

    def test_wrong_passwords_are_told(self):
        for user, password in (("su", "other"), ("nobody", "x"), ("default", "")):
            with self.assertRaises(AuthError):
                HaystackClient.open(URI, user, password)

    def test_lists(self):
        with open_haxall_client(URI, *USER) as client:
            ops = [row["name"] for row in client.call("ops", method="GET").rows]
            self.assertIn("read", ops)
            self.assertTrue(client.call("filetypes", method="GET").rows)


class RecordCase(unittest.TestCase):
    content_type = "json"

    def setUp(self):
        redis("ACL", "SETUSER", "su", "reset", "on", ">" + USER[1], "~*", "+@all")
        redis("DEL", "demo")
        redis("FOLIO.OPEN", "demo")
        self.client = HaxallClient.open(URI, *USER, content_type=self.content_type)
        self.addCleanup(self.client.close)
        self.site = self.client.commit_add({"dis": "Main", "site": Marker()}).rows[0]
        equip = {"dis": "AHU", "equip": Marker(), "siteRef": self.site["id"]}
        self.equip = self.client.commit_add([equip]).rows[0]
        points = [{"dis": f"P{n}", "point": Marker(), "writable": Marker(), "kind": "Number",
                   "temp": Number(20 + n, "kW"), "equipRef": self.equip["id"]} for n in range(3)]
        self.points = self.client.commit_add(points).rows

    def test_records_are_read(self):
        self.assertEqual(self.client.read("site")["dis"], "Main")
        self.assertEqual(len(self.client.read_all("point").rows), 3)
        self.assertEqual(len(self.client.read_all("point", 2).rows), 2)
        self.assertEqual(len(self.client.read_all("temp > 20kW").rows), 2)
        self.assertEqual(len(self.client.read_all("equipRef->siteRef->site").rows), 3)
        self.assertEqual(self.client.read("nonsense", False), {})
        with self.assertRaises(UnknownRecError):
            self.client.read("nonsense")
        ids = [row["id"] for row in self.points]
        self.assertEqual([row["dis"] for row in self.client.read_by_ids(ids).rows],
                         ["P0", "P1", "P2"])
        self.assertEqual(self.client.read_by_id(ids[1])["temp"], Number(21, "kW"))
        with self.assertRaises(UnknownRecError):
            self.client.read_by_ids([ids[0], Ref("not-there")])
        with self.assertRaises(CallError):
            self.client.read_all("a filter that is none")

    def test_records_are_changed_and_removed(self):
        point = dict(self.points[0])
        # In Zinc it writes escapes of two digits for letters beyond ASCII, which are none.
        name = "Café" if self.content_type == "json" else "Cafe"
        changed = self.client.commit_update(point | {"dis": name}).rows[0]
        self.assertEqual(changed["dis"], name)
        # As it was read before: somebody has changed it since.
        with self.assertRaises(CallError) as told:
            self.client.commit_update(point)
        self.assertIn("ConcurrentChangeErr", told.exception.help_msg.meta["errTrace"])
        with self.assertRaises(CallError):
            self.client.commit_add({"id": self.site["id"], "dis": "Again"})
        self.client.commit_remove({"id": changed["id"], "mod": changed["mod"]})
        self.assertEqual(len(self.client.read_all("point").rows), 2)
        with self.assertRaises(CallError):
            self.client.commit_remove(Grid.to_grid({"id": changed["id"], "mod": changed["mod"]}))

    def test_points_are_written_at_levels(self):
        point = self.points[0]["id"]
        self.client.point_write(point, 16, Number(55))
        self.client.point_write(point, 8, Number(77), "me", Number(30, "min"))
        levels = self.client.point_write_array(point).rows
        self.assertEqual([row["level"] for row in levels], [Number(n) for n in range(1, 18)])
        self.assertEqual((levels[7]["val"], levels[7]["who"]), (Number(77), "me"))
        self.assertIn("expires", levels[7])
        self.assertEqual((levels[15]["val"], levels[15]["who"]), (Number(55), "su"))
        record = self.client.read_by_id(point)
        self.assertEqual((record["writeVal"], record["writeLevel"]), (Number(77), Number(8)))
        self.client.point_write(point, 8)
        self.assertEqual(self.client.read_by_id(point)["writeVal"], Number(55))
        self.client.point_write(point, 16)
        self.assertNotIn("writeVal", self.client.read_by_id(point))
        with self.assertRaises(CallError):
            self.client.point_write(point, 18, Number(1))
        with self.assertRaises(CallError):
            self.client.point_write(self.site["id"], 8, Number(1))

    def test_histories_are_written_and_read(self):
        new_york = ZoneInfo("America/New_York")
        tags = {"point": Marker(), "his": Marker(), "kind": "Number", "unit": "kW",
                "tz": "New_York"}
        a, b = (row["id"] for row in
                self.client.commit_add([tags | {"dis": "H0"}, tags | {"dis": "H1"}]).rows)
        noon = datetime(2024, 5, 1, 12, tzinfo=new_york)
        at = [noon + timedelta(hours=n) for n in range(3)]
        self.client.his_write_by_id(a, [{"ts": ts, "val": Number(n, "kW")}
                                        for n, ts in enumerate(at)])
        self.client.his_write_by_id(a, [{"ts": at[1], "val": Number(9, "kW")}])
        day = self.client.his_read_by_id(a, date(2024, 5, 1))
        self.assertEqual([row["val"] for row in day.rows], [Number(n, "kW") for n in (0, 9, 2)])
        self.assertEqual([row["ts"] for row in day.rows], at)
        self.assertEqual((day.meta["id"].val, day.meta["hisStart"]),
                         (a.val, datetime(2024, 5, 1, tzinfo=new_york)))
        self.assertEqual(self.client.his_read_by_id(a, date(2024, 5, 2)).rows, [])
        some = self.client.his_read_by_id(a, DateTimeRange(at[0], at[2]))
        self.assertEqual(len(some.rows), 2, "the end is excluded")
        self.client.his_write_by_ids([a, b], [{"ts": at[0], "v0": Number(5, "kW")},
                                              {"ts": at[2], "v1": Number(7, "kW")}])
        both = self.client.his_read_by_ids([a, b], DateRange(date(2024, 5, 1), date(2024, 5, 2)))
        ids = [(col.meta or {}).get("id", a).val for col in both.cols]
        self.assertEqual(ids, [a.val, a.val, b.val])
        self.assertEqual([(row.get("v0"), row.get("v1")) for row in both.rows],
                         [(Number(5, "kW"), None), (Number(9, "kW"), None),
                          (Number(2, "kW"), Number(7, "kW"))])
        for wrong in ({"ts": at[0], "val": Number(1, "m")}, {"ts": at[0], "val": "text"},
                      {"ts": datetime(2024, 5, 1, tzinfo=ZoneInfo("UTC")), "val": Number(1)}):
            with self.assertRaises(CallError):
                self.client.his_write_by_id(a, [{"ts": at[1], "val": Number(0, "kW")}, wrong])
        self.assertEqual(len(self.client.his_read_by_id(a, DateTimeRange(at[0])).rows), 3)

    def watch(self, op, meta, ids=()):
        """What a watch is answered. This client has no calls of its own for it."""
        rows = [{"id": id} for id in ids]
        grid = Grid.to_grid(rows or {"empty": Marker()}, meta)
        return self.client.call(op, grid)

    def test_watches_tell_what_has_changed(self):
        ids = [row["id"] for row in self.points]
        opened = self.watch("watchSub", {"watchDis": "A chart", "lease": Number(2, "min")},
                            [*ids[:2], Ref("not-there")])
        self.assertEqual(opened.meta["lease"], Number(120, "sec"))
        # Rows of nothing are for records that are not there. In Zinc it passes over them.
        nothing = [] if self.content_type == "zinc" else [{}]
        self.assertEqual([row["dis"] for row in opened.rows if row], ["P0", "P1"])
        self.assertEqual([dict(row) for row in opened.rows[2:]], nothing)
        watch = {"watchId": opened.meta["watchId"]}
        self.assertEqual(self.watch("watchPoll", watch).rows, [])
        self.client.point_write(ids[0], 8, Number(5, "kW"))
        changes = f"{{id:@{ids[1].val} curVal:7kW}}"
        redis("FOLIO.COMMIT", "demo", "TRANSIENT", "FORCE", "UPDATE", changes)
        redis("FOLIO.COMMIT", "demo", "FORCE", "UPDATE", f"{{id:@{ids[2].val} x}}")
        told = self.watch("watchPoll", watch)
        self.assertEqual(told.meta["watchId"], opened.meta["watchId"])
        # In the order of their ids.
        told = {row["id"].val: row for row in told.rows}
        self.assertEqual(told[ids[0].val]["writeVal"], Number(5, "kW"))
        self.assertEqual(told[ids[1].val]["curVal"], Number(7, "kW"))
        self.assertEqual(len(told), 2)
        self.assertEqual(self.watch("watchPoll", watch).rows, [])
        added = self.watch("watchSub", watch, ids[2:])
        self.assertEqual([row["dis"] for row in added.rows], ["P2"])
        whole = self.watch("watchPoll", watch | {"refresh": Marker()})
        self.assertEqual(len([row for row in whole.rows if row]), 3)
        self.watch("watchUnsub", watch, ids[:2])
        whole = self.watch("watchPoll", watch | {"refresh": Marker()})
        self.assertEqual([row["dis"] for row in whole.rows if row], ["P2"])
        self.client.commit_remove(self.client.read_by_id(ids[2]))
        self.assertEqual([dict(row) for row in self.watch("watchPoll", watch).rows], nothing)
        self.watch("watchUnsub", watch | {"close": Marker()})
        for op in ("watchPoll", "watchSub"):
            with self.assertRaises(CallError) as told:
                self.watch(op, watch, ids[:1])
            self.assertIn("UnknownWatchErr", told.exception.help_msg.meta["errTrace"])

    def test_what_lies_below_is_found(self):
        def nav(nav_id=None):
            given = Grid.to_grid({"navId": nav_id} if nav_id else {"x": Number(1)})
            return [row["dis"] for row in self.client.call("nav", given).rows]
        self.assertEqual(nav(), ["Main"])
        self.assertEqual(nav(self.site["id"]), ["AHU"])
        self.assertEqual(nav(self.equip["id"]), ["P0", "P1", "P2"])

    def test_expressions(self):
        run = self.client.eval
        self.assertEqual(run("readCount(point)").rows[0]["val"], Number(3))
        self.assertEqual(run("read(site)").rows[0]["dis"], "Main")
        added = run('diff(null, {dis:"X", testing}, {add}).commit').rows[0]
        self.assertEqual(added["dis"], "X")
        run(f"readById(@{added['id'].val}).diff({{trash}}).commit")
        self.assertEqual(run("readCount(testing)").rows[0]["val"], Number(0))
        run("readAll(point).toRecList.map(r => diff(r, null, {remove})).commit()")
        self.assertEqual(run("readAll(point)").rows, [])
        with self.assertRaises(CallError):
            run("1 + 1")


class ZincCase(RecordCase):
    content_type = "zinc"


if __name__ == "__main__":
    unittest.main()
