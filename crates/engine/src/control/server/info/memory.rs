//! INFO memory.

use super::{Lines, process};
use crate::control::server::memory::{Figures, ratio};
use crate::control::{Control, identity};
use crate::engine::Engine;

pub(super) fn memory(control: &mut Control<'_>, lines: &mut Lines) {
    let figures = Figures::take(control);
    let engine = control.engine;
    let config = engine.config();
    let Figures { used, peak, resident, .. } = figures;
    let dataset = figures.dataset();
    lines.put_bytes("used_memory", used);
    if let Some(resident) = resident {
        lines.put_bytes("used_memory_rss", resident);
    }
    lines.put_bytes("used_memory_peak", peak);
    lines.put("used_memory_peak_perc", format_args!("{:.2}%", ratio(used, peak) * 100.0));
    // Everything is counted where it is owned: what is not the dataset is tables and connections.
    lines.put("used_memory_overhead", figures.overhead());
    // The program itself is not counted.
    lines.put("used_memory_startup", 0);
    lines.put("used_memory_dataset", dataset);
    lines.put("used_memory_dataset_perc", format_args!("{:.2}%", ratio(dataset, used) * 100.0));
    lines.put("allocator_allocated", used);
    if let Some(resident) = resident {
        lines.put("allocator_active", resident);
        lines.put("allocator_resident", resident);
    }
    if let Some(total) = process::system_memory() {
        lines.put_bytes("total_system_memory", total);
    }
    scripting(engine, figures.scripting, lines);
    let limit = usize::try_from(config.memory.maxmemory.unwrap_or(0)).unwrap_or(usize::MAX);
    lines.put_bytes("maxmemory", limit);
    lines.put("maxmemory_policy", config.memory.eviction.policy.name());
    if let Some(resident) = resident {
        lines.put("allocator_frag_ratio", format_args!("{:.2}", ratio(resident, used)));
        lines.put("allocator_frag_bytes", resident.saturating_sub(used));
        lines.put("allocator_rss_ratio", "1.00");
        lines.put("allocator_rss_bytes", 0);
        lines.put("rss_overhead_ratio", "1.00");
        lines.put("rss_overhead_bytes", 0);
        lines.put("mem_fragmentation_ratio", format_args!("{:.2}", ratio(resident, used)));
        lines.put("mem_fragmentation_bytes", resident.saturating_sub(used));
    }
    lines.put_zeros(&[
        "mem_not_counted_for_evict",
        "mem_replication_backlog",
        "mem_total_replication_buffers",
        "mem_clients_slaves",
    ]);
    lines.put("mem_clients_normal", figures.clients);
    lines.put("mem_cluster_links", 0);
    lines.put("mem_aof_buffer", figures.journal);
    lines.put("mem_query_versions", figures.kept);
    lines.put("mem_change_backlog", figures.change_backlog);
    lines.put("mem_allocator", identity::ALLOCATOR);
    lines.put("active_defrag_running", 0);
    lines.put("lazyfree_pending_objects", engine.store.pending_frees());
    lines.put("lazyfreed_objects", engine.store.freed());
}

/// Interpreters, and what they run. Several threads have some of their own: these are sums.
fn scripting(engine: &Engine, figures: [usize; 4], lines: &mut Lines) {
    let [scripts_vm, functions_vm, scripts, libraries] = figures;
    let known = engine.scripts.functions.known();
    lines.put("used_memory_vm_eval", scripts_vm);
    lines.put_bytes("used_memory_lua", scripts_vm);
    lines.put("used_memory_scripts_eval", scripts);
    lines.put("number_of_cached_scripts", engine.scripts.cache.len());
    lines.put("number_of_functions", known.libraries.functions());
    lines.put("number_of_libraries", known.libraries.len());
    lines.put("used_memory_vm_functions", functions_vm);
    lines.put_bytes("used_memory_vm_total", scripts_vm + functions_vm);
    lines.put("used_memory_functions", libraries);
    lines.put_bytes("used_memory_scripts", scripts + libraries);
}
