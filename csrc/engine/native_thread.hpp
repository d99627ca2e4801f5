// Threads as the pool needs them: detached, deaf to signals, with a name that a debugger shows, and never a reason to
// fail. The only room with the systems' own thread calls. Knows nothing of work.
#pragma once

namespace fastcollate::engine {

/// Runs `run(context)` on a thread of its own, which nobody joins. False when the system grants none, as a process at
/// its limit or a build of WebAssembly without threads.
bool start_detached(void (*run)(void*) noexcept, void* context) noexcept;

/// Tells the CPU that this thread is waiting in a loop, so that it spends less on it.
void relax_cpu() noexcept;

}  // namespace fastcollate::engine
