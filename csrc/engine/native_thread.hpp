// Threads as the pool needs them: detached, deaf to signals, with a name that a debugger shows, and never a reason to
// fail. The only room with the systems' own thread calls. Knows nothing of work.
#pragma once

namespace fastcollate::engine {

/// Runs `run(context)` on a thread of its own, which nobody joins. False when the system grants none, as a process at
/// its limit or a build of WebAssembly without threads.
bool start_detached(void (*run)(void*) noexcept, void* context) noexcept;

/// Tells the CPU that this thread is waiting in a loop, so that it spends less on it.
void relax_cpu() noexcept;

/// The CPU that this thread runs on at this moment; -1 where the system doesn't say.
int current_cpu() noexcept;

/// Before a worker sleeps, and before it works again: `cpu` is its caller's. A worker must not queue up behind the very
/// thread it is to help, yet Linux on a virtual machine is prone to wake it just there, since it takes a CPU in deep
/// sleep for one that the host has taken away; the worker then begins milliseconds late (bench_thread_pool, "slept").
/// So it sleeps barred from that CPU, where the next call mostly comes from too, leaves it if it woke up there all the
/// same, and works unbarred. If somebody else chooses the thread's CPUs meanwhile, that choice stands.
void sleep_apart_from(int cpu) noexcept;
void work_apart_from(int cpu) noexcept;

}  // namespace fastcollate::engine
