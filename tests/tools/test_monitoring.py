"""What monitoring tools and browsers of data ask when they start and while they run, replayed on
both servers: redis_exporter, RedisInsight, and the agents of Datadog and Telegraf.

The requests are those the tools send, written down from watching them. A reply must be equal to
redis-server's, or, where it holds figures of the server itself, have the same shape.
"""

import re
import shutil
import subprocess
import unittest
import urllib.request

from target import (HOST, PATIENCE, PORT, REDIS_PORT, Error, TwoServers, eventually, free_port,
                    info, shape)

EXPORTER = shutil.which("prometheus-redis-exporter") or shutil.which("redis_exporter")

# What is equal on both: one request to a line.
INSIGHT_EQUAL = """
CLIENT SETNAME redisinsight-common-0a1b2c3d
CONFIG GET databases
CLUSTER INFO
CLUSTER NODES
SENTINEL masters
ACL WHOAMI
ACL CAT nosuch
ACL DRYRUN default GET text
ACL DRYRUN default CONFIG GET dir
COMMAND INFO ts.add bf.add rg.trigger
DBSIZE
TYPE text
TTL text
PTTL nosuch
STRLEN text
GET text
GETRANGE text 0 3
OBJECT ENCODING text
OBJECT ENCODING number
OBJECT ENCODING list
OBJECT ENCODING hash
OBJECT ENCODING zset
OBJECT ENCODING stream
OBJECT ENCODING nosuch
TYPE list
LLEN list
LRANGE list 0 499
LINDEX list 1
TYPE hash
HLEN hash
TYPE set
SCARD set
TYPE zset
ZCARD zset
ZRANGE zset 0 499 WITHSCORES
ZREVRANGE zset 0 499 WITHSCORES
TYPE stream
XLEN stream
XINFO STREAM stream
XINFO GROUPS stream
XREVRANGE stream + - COUNT 500
XRANGE stream - + COUNT 1
XPENDING stream group - + 500 nobody
TYPE nosuch
XINFO STREAM nosuch
XINFO GROUPS text
CONFIG GET slowlog-max-len
CONFIG GET slowlog-log-slower-than
CONFIG SET slowlog-log-slower-than 10000
SLOWLOG RESET
LATENCY LATEST
LATENCY RESET
PUBSUB CHANNELS
PUBSUB NUMPAT
PUBSUB SHARDCHANNELS
PUBLISH channel message
RENAMENX text list
EXPIRE text 1000
PERSIST text
SELECT 3
DBSIZE
SELECT 0
"""

# What tells of the server or of time.
INSIGHT_ALIKE = """
INFO
INFO server
INFO memory
MEMORY USAGE text SAMPLES 0
MEMORY USAGE list SAMPLES 0
MEMORY USAGE nosuch
MEMORY STATS
XINFO CONSUMERS stream group
XPENDING stream group - + 500
SLOWLOG GET 50
CLIENT LIST
CLIENT INFO
CLIENT ID
LASTSAVE
ROLE
TIME
"""

# What redis_exporter sends with all its options on. It may fail, but not by a broken connection.
EXPORTER_EQUAL = """
CLIENT SETNAME redis_exporter
CLUSTER INFO
SELECT 0
TYPE text
TYPE visitors
PFCOUNT visitors
LLEN list
SCARD set
ZCARD zset
HLEN hash
XLEN stream
STRLEN text
GET number
GET text
GET list
XINFO STREAM stream
XINFO GROUPS stream
XINFO STREAM nosuch
SENTINEL MASTERS
PING
"""

EXPORTER_ALIKE = """
INFO ALL
LATENCY LATEST
SLOWLOG LEN
SLOWLOG GET 1
XINFO CONSUMERS stream group
CLIENT LIST
MEMORY USAGE text
"""

# Figures that the agents of Datadog and Telegraf know by name.
AGENTS = """
aof_last_rewrite_time_sec aof_last_cow_size aof_rewrite_in_progress
blocked_clients client_recent_max_input_buffer client_recent_max_output_buffer connected_clients
connected_slaves evicted_keys expired_keys instantaneous_input_kbps instantaneous_ops_per_sec
instantaneous_output_kbps keyspace_hits keyspace_misses latest_fork_usec lazyfree_pending_objects
loading lru_clock master_repl_offset maxclients maxmemory mem_fragmentation_ratio
mem_clients_normal mem_clients_slaves mem_aof_buffer pubsub_channels pubsub_patterns
rdb_bgsave_in_progress rdb_changes_since_last_save rdb_last_bgsave_time_sec rdb_last_cow_size
rdb_last_save_time rejected_connections repl_backlog_active repl_backlog_histlen
repl_backlog_size sync_full sync_partial_err sync_partial_ok total_commands_processed
total_connections_received total_net_input_bytes total_net_output_bytes
total_error_replies tracking_clients uptime_in_seconds used_cpu_sys used_cpu_sys_children
used_cpu_user used_cpu_user_children used_memory used_memory_dataset used_memory_lua
used_memory_overhead used_memory_peak used_memory_rss used_memory_scripts used_memory_startup
allocator_active allocator_allocated allocator_resident active_defrag_running active_defrag_hits
io_threads_active unexpected_error_replies current_eviction_exceeded_time dump_payload_sanitizations
""".split()


def requests(text):
    return text.strip().splitlines()


class Replayed(TwoServers):
    """Requests of tools, on both servers."""

    def compare(self, equal, alike):
        # By this browsers know what can be shown; redis-server has no modules.
        modules = self.ours.line("MODULE LIST")
        names = [one["name"] if isinstance(one, dict) else one[1] for one in modules]
        self.assertEqual(names, ["ReJSON", "search", "graph"])
        self.assertEqual(self.theirs.line("MODULE LIST"), [])
        self.assertEqual(self.ours.line("COMMAND INFO ft.search")[0][0], "ft.search")
        self.assertEqual(list(self.ours.line("FT._LIST")), [])
        for line in requests(equal):
            self.assertEqual(self.ours.line(line), self.theirs.line(line), line)
        self.log_one_slow_command()
        for line in requests(alike):
            ours, theirs = self.ours.line(line), self.theirs.line(line)
            if isinstance(theirs, list) and line.split()[0] in ("SLOWLOG", "LATENCY"):
                # As many as there are; each of the same shape.
                ours, theirs = ours[:1] and theirs[:1], theirs[:1] and ours[:1]
            self.assertEqual(shape(ours), shape(theirs), line)

    def log_one_slow_command(self):
        """Makes the newest entry of both slow logs the same, however slow the machine is."""
        for connection in (self.ours, self.theirs):
            connection.line("CONFIG SET slowlog-log-slower-than 0")
            connection.line("GET text")
            connection.line("CONFIG SET slowlog-log-slower-than -1")
            self.addCleanup(connection.line, "CONFIG SET slowlog-log-slower-than 10000")

    def test_redisinsight(self):
        self.compare(INSIGHT_EQUAL, INSIGHT_ALIKE)
        for connection in (self.ours, self.theirs):
            connection.ask("HELLO", "3")
        self.compare(INSIGHT_EQUAL, INSIGHT_ALIKE)

    def test_redisinsight_walks_the_keys(self):
        """A page of SCAN, and a pipeline that asks for the type, deadline and size of each."""
        walks = []
        for connection in (self.ours, self.theirs):
            cursor, keys = "0", []
            while True:
                cursor, page = connection.ask("SCAN", cursor, "MATCH", "*", "COUNT", "5")
                keys += page
                if cursor == "0":
                    break
            questions = [("TYPE",), ("TTL",), ("OBJECT", "ENCODING"), ("MEMORY", "USAGE")]
            for key in keys:
                for words in questions:
                    connection.send(*words, key)
            walk = {}
            for key in keys:
                kind, ttl, encoding, size = [connection.reply() for _ in questions]
                self.assertGreater(size, 0, key)
                walk[key] = (kind, ttl == -1, encoding)
            self.assertEqual(len(walk), 11)
            walks.append(walk)
        self.assertEqual(*walks)

    def test_redisinsight_profiles_and_listens(self):
        for port, other in ((PORT, self.ours), (REDIS_PORT, self.theirs)):
            profiler, listener = self.connect(port), self.connect(port)
            self.assertEqual(profiler.ask("MONITOR"), "OK")
            self.assertEqual(listener.ask("PSUBSCRIBE", "*"), ["psubscribe", "*", 1])
            other.ask("PUBLISH", "a", "b")
            self.assertEqual(listener.reply(), ["pmessage", "*", "a", "b"])
            self.assertRegex(profiler.reply(), r'\[0 127\.0\.0\.1:\d+\] "PSUBSCRIBE" "\*"$')
            self.assertRegex(profiler.reply(), r'\[0 127\.0\.0\.1:\d+\] "PUBLISH" "a" "b"$')

    def test_redis_exporter(self):
        self.compare(EXPORTER_EQUAL, EXPORTER_ALIKE)
        settings = [connection.ask("CONFIG", "GET", "*") for connection in (self.ours, self.theirs)]
        names = [set(pairs[::2]) for pairs in settings]
        self.assertEqual(names[1] - names[0], set())

    def test_fields_of_a_line(self):
        """What the tools cut out of INFO by their own rules."""
        for connection in (self.ours, self.theirs):
            connection.line("GET text")
            connection.line("NOSUCH")
            sections = info(connection.ask("INFO", "everything"))
            database = sections["Keyspace"]["db0"]
            self.assertRegex(database, r"^keys=11,expires=1,avg_ttl=\d+$")
            command = r"^calls=\d+,usec=\d+,usec_per_call=\d+\.\d\d,rejected_calls=\d+," \
                      r"failed_calls=\d+$"
            self.assertRegex(sections["Commandstats"]["cmdstat_get"], command)
            self.assertRegex(sections["Commandstats"]["cmdstat_xgroup|create"], command)
            self.assertRegex(sections["Errorstats"]["errorstat_ERR"], r"^count=\d+$")
            latency = sections["Latencystats"]["latency_percentiles_usec_get"]
            self.assertRegex(latency, r"^p50=\d+\.\d{3},p99=\d+\.\d{3},p99\.9=\d+\.\d{3}$")
            client = connection.ask("CLIENT", "LIST").splitlines()[0]
            pairs = dict(pair.split("=", 1) for pair in client.split(" "))
            for name in ("id fd age idle db sub psub ssub multi qbuf qbuf-free argv-mem multi-mem"
                         " rbs rbp obl oll omem tot-mem").split():
                self.assertRegex(pairs[name], r"^-?\d+$", name)
            for name in "name flags events cmd user laddr addr redir resp".split():
                self.assertIn(name, pairs)

    def test_figures_of_agents(self):
        for connection in (self.ours, self.theirs):
            fields = {}
            for section in info(connection.ask("INFO", "all")).values():
                fields.update(section)
            for name in AGENTS:
                self.assertRegex(fields.get(name, "missing"), r"^-?\d+(\.\d+)?$", name)
                self.assertFalse(re.fullmatch(r"-0(\.0*)?", fields[name]), name)
        for line in requests("CONFIG GET maxclients\nCONFIG GET maxmemory\nCONFIG GET save"):
            self.assertEqual(self.ours.line(line), self.theirs.line(line), line)


@unittest.skipUnless(EXPORTER, "install prometheus-redis-exporter to run it")
class Exporter(TwoServers):
    """The real program."""

    # What it takes for values of a label depends on the server and the moment.
    LABELS = r"(executable|run_id|os|redis_build_id|process_id|tcp_port|addr|id|age|idle" \
             r"|created_at|idle_since|maxmemory_policy|name|user|host|port|fd)=\"[^\"]*\",?"

    def scrape(self, port, *options):
        """The metrics about Redis that it makes of the server on a port, by name and labels."""
        own = free_port()
        words = [EXPORTER, f"--redis.addr=redis://{HOST}:{port}",
                 f"--web.listen-address={HOST}:{own}", *options]
        url = f"http://{HOST}:{own}/metrics"
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            def metrics():
                try:
                    with urllib.request.urlopen(url, timeout=PATIENCE) as page:
                        return page.read().decode()
                except OSError:
                    self.assertIsNone(process.poll(), "the exporter has ended")
                    return None
            eventually(metrics, "the first metrics")
            text = metrics()
        finally:
            process.terminate()
            _, said = process.communicate()
        self.assertNotRegex(said.decode(), r"level=(error|warn)")
        lines = [line for line in text.splitlines() if line.startswith("redis_")]
        return dict(line.rsplit(" ", 1) for line in lines)

    def both(self, *options):
        ours, theirs = self.scrape(PORT, *options), self.scrape(REDIS_PORT, *options)
        self.assertEqual((ours["redis_up"], theirs["redis_up"]), ("1", "1"))
        cut = lambda metrics: {re.sub(self.LABELS, "", name) for name in metrics}
        # Commands come and go with those who look; everything else is there, or not, in both.
        fixed = lambda names: {name for name in names if 'cmd="' not in name}
        self.assertEqual(fixed(cut(ours)), fixed(cut(theirs)))
        names = lambda metrics: {name.partition("{")[0] for name in metrics}
        self.assertEqual(names(ours), names(theirs))
        self.assertGreater(len(names(ours)), 100)
        return ours, theirs

    def test_with_its_defaults(self):
        for connection in (self.ours, self.theirs):
            self.assertIsInstance(connection.ask("NOSUCH"), Error)
        ours, theirs = self.both()
        for name in ('redis_db_keys{db="db0"}', 'redis_db_keys_expiring{db="db0"}',
                     'redis_db_keys{db="db3"}', "redis_config_maxmemory", "redis_config_maxclients",
                     'redis_config_key_value{key="hz",value="10"}'):
            self.assertEqual(ours.get(name), theirs.get(name), name)

    def test_with_all_options(self):
        options = ["--check-keys=*", "--check-single-keys=db0=text,db3=elsewhere",
                   "--count-keys=db0=s*", "--check-streams=stream", "--include-system-metrics",
                   "--export-client-list"]
        ours, theirs = self.both(*options)
        figures = [name for name in theirs if re.match(
            r"redis_(key_size|key_value|stream_length|stream_groups|stream_group_consumers"
            r"|stream_group_messages_pending|stream_radix_tree_keys|keys_count)", name)]
        self.assertGreater(len(figures), 15)
        for name in figures:
            self.assertEqual(ours.get(name), theirs[name], name)
