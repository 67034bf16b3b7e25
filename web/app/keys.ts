import { useEffect } from 'preact/hooks'

/** Whether the reader types into something: single letters belong to it then. */
const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

const SEQUENCE_MS = 900
const bindings = new Map<string, () => void>()
let pending = ''
let pendingAt = 0

/** Binds a key (`?`), a key after another (`g n`) or a key with Control or Command (`mod+k`) while a component is there. */
export function useKey(keys: string, act: () => void) {
  useEffect(() => {
    bindings.set(keys, act)
    return () => {
      if (bindings.get(keys) === act) bindings.delete(keys)
    }
  }, [keys, act])
}

export function listenToKeys() {
  window.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return
    const mod = event.ctrlKey || event.metaKey
    if (mod) {
      run(`mod+${event.key.toLowerCase()}`, event)
      return
    }
    if (event.altKey || isTyping(event.target) || document.querySelector('dialog[open]')) return
    const second = event.timeStamp - pendingAt < SEQUENCE_MS ? `${pending} ${event.key}` : ''
    pending = ''
    if (second !== '' && run(second, event)) return
    if (run(event.key, event)) return
    pending = event.key
    pendingAt = event.timeStamp
  })
}

function run(keys: string, event: KeyboardEvent): boolean {
  const act = bindings.get(keys)
  if (!act) return false
  event.preventDefault()
  act()
  return true
}
