/** What the world gives: passed in, so that rules and tests hold time and chance in their hands. */
export interface Ports {
  /** Milliseconds since 1970, as the wall clock says; may jump. */
  now(): number
  random(bytes: number): Uint8Array
  sleep(ms: number): Promise<void>
}

export const instant = (ms: number) => new Date(ms).toISOString()
