interface TabsProps<T extends string> {
  label: string
  tabs: ReadonlyArray<{ id: T; name: string; count?: number }>
  chosen: T
  onChoose: (id: T) => void
}

/** Arrow keys move between tabs, as the pattern of ARIA asks. */
export function Tabs<T extends string>({ label, tabs, chosen, onChoose }: TabsProps<T>) {
  const step = (event: KeyboardEvent, by: number) => {
    const at = tabs.findIndex(({ id }) => id === chosen)
    const next = tabs[(at + by + tabs.length) % tabs.length]
    if (!next) return
    event.preventDefault()
    onChoose(next.id)
    document.getElementById(`tab-${next.id}`)?.focus()
  }
  return (
    <div class="tabs" role="tablist" aria-label={label}>
      {tabs.map(({ id, name, count }) => (
        <button
          key={id}
          id={`tab-${id}`}
          type="button"
          role="tab"
          class="tab"
          aria-selected={id === chosen}
          aria-controls={id === chosen ? 'tab-panel' : undefined}
          tabIndex={id === chosen ? 0 : -1}
          onClick={() => onChoose(id)}
          onKeyDown={(event) => {
            if (event.key === 'ArrowRight') step(event, 1)
            if (event.key === 'ArrowLeft') step(event, -1)
          }}
        >
          {name}
          {count !== undefined && count > 0 && <span class="tab-count">{count}</span>}
        </button>
      ))}
    </div>
  )
}
