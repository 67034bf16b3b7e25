import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

interface ButtonProps {
  onClick: () => void
  children?: ComponentChildren
  icon?: IconName
  kind?: 'plain' | 'primary' | 'ghost' | 'danger'
  /** The name of a button that shows an icon alone. */
  label?: string
  isBusy?: boolean
}

export function Button({ onClick, children, icon, kind = 'plain', label, isBusy }: ButtonProps) {
  return (
    <button
      type="button"
      class={`button is-${kind}${children === undefined ? ' is-square' : ''}`}
      aria-label={label}
      title={label}
      disabled={isBusy}
      aria-busy={isBusy}
      onClick={onClick}
    >
      {icon && <Icon name={icon} size={15} />}
      {children}
    </button>
  )
}
