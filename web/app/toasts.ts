import { makeCell } from './external-store.ts'

/** What was done, or why it was not. */
export interface Toast {
  id: number
  tone: 'good' | 'bad'
  title: string
  detail?: string
}

const SHOWN_MS = { good: 5_000, bad: 12_000 }
let lastId = 0

export const toasts = makeCell<readonly Toast[]>([])

export function showToast(toast: Omit<Toast, 'id'>) {
  lastId += 1
  const id = lastId
  toasts.set([...toasts.get().slice(-3), { ...toast, id }])
  setTimeout(() => hideToast(id), SHOWN_MS[toast.tone])
}

export const hideToast = (id: number) => toasts.set(toasts.get().filter((one) => one.id !== id))
