interface SegmentsProps<T extends string> {
  label: string
  options: ReadonlyArray<{ value: T; name: string }>
  value: T
  onChange: (value: T) => void
}

/** One of a few, all of them seen at once. */
export function Segments<T extends string>({ label, options, value, onChange }: SegmentsProps<T>) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          class="segment"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.name}
        </button>
      ))}
    </div>
  )
}
