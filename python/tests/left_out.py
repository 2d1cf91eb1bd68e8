"""What of redis-py's interface is left out, and why. ``test_names.py`` keeps it true."""

# Modules of which nothing is here.
MODULES = {
    "redis.asyncio.http": "what asks other services by HTTP",
    "redis.asyncio.keyspace_notifications": "objects around the messages of `pubsub()`",
    "redis.asyncio.maint_notifications": "a service of one vendor for its own servers",
    "redis.asyncio.multidb": "clients of several databases at once",
    "redis.asyncio.observability": "metrics: `kvist.telemetry` makes them",
    "redis.auth.token_manager": "connections are made with the credentials of their time",
    "redis.background": "runs coroutines of its own for others of its modules",
    "redis.commands.bf": "`client.bf()` and its like are made of one module here",
    "redis.commands.cluster": "commands are methods of one class here",
    "redis.commands.helpers": "its own helpers",
    "redis.commands.policies": "how clusters are asked is read from the server",
    "redis.commands.redismodules": "commands are methods of one class here",
    "redis.commands.search": "there is no search here",
    "redis.commands.sentinel": "commands are methods of one class here",
    "redis.commands.timeseries": "there are no time series here",
    "redis.commands.vectorset": "`client.vset()` is made of one module here",
    "redis.data_structure": "its own helpers",
    "redis.event": "its own events",
    "redis.himport": "a command of a later server",
    "redis.http": "what asks other services by HTTP",
    "redis.keyspace_notifications": "objects around the messages of `pubsub()`",
    "redis.maint_notifications": "a service of one vendor for its own servers",
    "redis.multidb": "clients of several databases at once",
    "redis.observability": "metrics: `kvist.telemetry` makes them",
    "redis.ocsp": "certificates are checked by the native part",
}

# Names of modules that are here. They are classes that others derive theirs from (protocols,
# abstract clients, strategies of pipelines), tables of callbacks and helpers: how that library is
# made, and not what programs call. Those of ``redis`` and ``redis.asyncio`` go with
# ``redis.keyspace_notifications``.
NAMES = {
    "redis": [
        "ChannelType", "ClusterKeyspaceNotifications", "EventType", "KeyNotification",
        "KeyeventChannel", "KeyspaceChannel", "KeyspaceNotifications",
        "KeyspaceNotificationsInterface", "KeyspaceWorkerThread", "SubkeyeventChannel",
        "SubkeyspaceChannel", "SubkeyspaceeventChannel", "SubkeyspaceitemChannel",
        "get_channel_type",
    ],
    "redis.asyncio": [
        "AsyncClusterKeyspaceNotifications", "AsyncKeyspaceNotifications",
        "AsyncKeyspaceNotificationsInterface",
    ],
    "redis.asyncio.client": [
        "AsyncPubsubWorkerExceptionHandler", "AsyncResponseCallbackProtocol",
        "MonitorCommandInfo", "PubsubWorkerExceptionHandler", "ResponseCallbackProtocol",
    ],
    "redis.asyncio.cluster": [
        "AbstractStrategy", "AsyncMaintNotificationsAbstractRedisCluster",
        "ClusterPubSubSlotsCacheListener", "ExecutionStrategy", "PipelineCommand",
        "PipelineStrategy", "TransactionStrategy",
    ],
    "redis.asyncio.connection": [
        "AbstractConnection", "AsyncConnectCallbackProtocol",
        "AsyncMaintNotificationsAbstractConnection",
        "AsyncMaintNotificationsAbstractConnectionPool", "ConnectCallbackProtocol",
        "ConnectKwargs", "ConnectionPoolInterface", "RedisSSLContext", "parse_ssl_verify_flags",
    ],
    "redis.asyncio.utils": [
        "from_url", "pipeline",
    ],
    "redis.cache": [
        "CacheProxy",
    ],
    "redis.client": [
        "AbstractRedis", "CaseInsensitiveDict", "add_debug_log_for_operation_failure",
        "is_debug_log_enabled",
    ],
    "redis.cluster": [
        "AbstractRedisCluster", "AbstractStrategy", "ClusterPubSubSlotsCacheListener",
        "ExecutionStrategy", "LoadBalancer", "MaintNotificationsAbstractRedisCluster",
        "NodeCommands", "PipelineCommand", "PipelineStrategy", "TransactionStrategy",
        "block_pipeline_command", "cleanup_kwargs", "get_connection", "get_node_name",
        "is_debug_log_enabled", "parse_cluster_myshardid", "parse_cluster_shards",
        "parse_cluster_shards_unified", "parse_cluster_shards_with_str_keys",
        "parse_cluster_slots", "parse_pubsub_numsub", "parse_scan_result",
    ],
    "redis.commands.core": [
        "ACLCommands", "ArrayAggregateOperations", "ArrayCommands", "ArrayPredicateCombinator",
        "ArrayPredicateType", "AsyncACLCommands", "AsyncArrayCommands", "AsyncBasicKeyCommands",
        "AsyncClusterCommands", "AsyncCoreCommands", "AsyncDataAccessCommands",
        "AsyncFunctionCommands", "AsyncGeoCommands", "AsyncHashCommands", "AsyncHyperlogCommands",
        "AsyncListCommands", "AsyncManagementCommands", "AsyncModuleCommands",
        "AsyncPubSubCommands", "AsyncScanCommands", "AsyncScriptCommands", "AsyncSetCommands",
        "AsyncSortedSetCommands", "AsyncStreamCommands", "BasicKeyCommands", "BitFieldOperation",
        "ClusterCommands", "CoreCommands", "DataAccessCommands", "FunctionCommands",
        "GeoCommands", "HashCommands", "HotkeysMetricsTypes", "HyperlogCommands", "ListCommands",
        "ManagementCommands", "ModuleCommands", "PubSubCommands", "ScanCommands",
        "ScriptCommands", "SetCommands", "SortedSetCommands", "StreamCommands",
    ],
    "redis.commands.json": [
        "AsyncJSON", "ClusterPipeline", "JSON", "Pipeline",
    ],
    "redis.commands.json.commands": [
        "FPHAType", "JSONCommands",
    ],
    "redis.commands.json.decoders": [
        "bulk_of_jsons", "decode_dict_keys", "decode_list", "unstring",
    ],
    "redis.connection": [
        "CacheProxyConnection", "ConnectionInterface", "ConnectionPoolInterface",
        "HiredisRespSerializer", "MaintNotificationsAbstractConnection",
        "MaintNotificationsAbstractConnectionPool", "PythonRespSerializer",
        "parse_ssl_verify_flags",
    ],
    "redis.driver_info": [
        "resolve_driver_info",
    ],
    "redis.retry": [
        "AbstractRetry",
    ],
    "redis.sentinel": [
        "SentinelConnectionPoolProxy",
    ],
    "redis.typing": [
        "AsyncClientProtocol", "ClusterCommandsProtocol", "CommandsProtocol",
        "SyncClientProtocol",
    ],
    "redis.utils": [
        "check_protocol_version", "compare_versions", "decode_field_value", "deprecated_args",
        "deprecated_function", "dict_merge", "dummy_fail", "dummy_fail_async", "ensure_string",
        "experimental", "experimental_args", "experimental_method", "extract_expire_flags",
        "format_error_message", "get_lib_version", "list_keys_to_dict", "merge_result",
        "safe_str", "truncate_text", "warn_deprecated", "warn_deprecated_arg_usage",
        "warn_experimental", "warn_experimental_arg_usage",
    ],
}
