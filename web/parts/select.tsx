interface SelectProps {
  label: string
  value: string
  options: ReadonlyArray<{ value: string; name: string }>
  onChange: (value: string) => void
}

/** The system's own list: it works by keyboard, by touch and with thousands of entries. */
export function Select({ label, value, options, onChange }: SelectProps) {
  return (
    <span class="select">
      <select
        aria-label={label}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.name}
          </option>
        ))}
      </select>
    </span>
  )
}
