/**
 * What an act answers, and the processor time that it took, in milliseconds. A clock would also count what other programs
 * do meanwhile, and a limit on it would fail on a busy machine.
 */
export function timeCpu<Result>(act: () => Result): { result: Result; ms: number } {
  const before = process.cpuUsage()
  const result = act()
  const { user, system } = process.cpuUsage(before)
  return { result, ms: (user + system) / 1_000 }
}

export const cpuMs = (act: () => unknown): number => timeCpu(act).ms
