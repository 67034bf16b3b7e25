/** A text with `**` around what was found. */
export function Snippet({ text }: { text: string }) {
  return (
    <>{text.split('**').map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part))}</>
  )
}
