import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Button } from './button.tsx'

interface DialogProps {
  title: string
  onClose: () => void
  children: ComponentChildren
  /** The palette shows its name to screen readers alone. */
  isBare?: boolean
}

/** The browser's own dialog: it keeps the focus inside and gives it back. */
export function Dialog({ title, onClose, children, isBare = false }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={ref}
      class={`dialog${isBare ? ' is-bare' : ''}`}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => event.target === ref.current && onClose()}
    >
      {isBare ? (
        children
      ) : (
        <div class="dialog-body">
          <header class="dialog-head">
            <h2>{title}</h2>
            <Button icon="cross" kind="ghost" label="Close" onClick={onClose} />
          </header>
          {children}
        </div>
      )}
    </dialog>
  )
}
