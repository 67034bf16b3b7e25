/** Calls, one after the other: two of one process would wait for each other's locks. */
export interface Turns {
  take<T>(act: () => Promise<T>): Promise<T>
  /** When all that was taken is done. */
  done(): Promise<unknown>
  /** When so few wait that more may come. */
  room(): Promise<unknown>
}

const MOST_WAITING = 64

export function makeTurns(afterEach: () => void): Turns {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  const leave = () => {
    waiting -= 1
    afterEach()
  }
  return {
    take(act) {
      waiting += 1
      const mine = last.then(act)
      // The caller gets the error; the next call goes on.
      last = mine.catch(() => undefined).then(leave)
      return mine
    },
    done: () => last,
    room: () => (waiting < MOST_WAITING ? Promise.resolve() : last),
  }
}
