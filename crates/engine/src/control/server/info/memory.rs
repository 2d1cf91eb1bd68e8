//! INFO memory.

use super::{Lines, process};
use crate::control::server::memory::{Figures, ratio};
use crate::control::{Control, identity};

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
    lines.put("used_memory_vm_eval", 0);
    lines.put_bytes("used_memory_lua", 0);
    lines.put_zeros(&[
        "used_memory_scripts_eval",
        "number_of_cached_scripts",
        "number_of_functions",
        "number_of_libraries",
        "used_memory_vm_functions",
    ]);
    lines.put_bytes("used_memory_vm_total", 0);
    lines.put("used_memory_functions", 0);
    lines.put_bytes("used_memory_scripts", 0);
    let limit = usize::try_from(config.maxmemory.unwrap_or(0)).unwrap_or(usize::MAX);
    lines.put_bytes("maxmemory", limit);
    lines.put("maxmemory_policy", config.eviction.policy.name());
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
    lines.put("mem_allocator", identity::ALLOCATOR);
    lines.put("active_defrag_running", 0);
    lines.put("lazyfree_pending_objects", engine.store.pending_frees());
    lines.put("lazyfreed_objects", engine.store.freed());
}
