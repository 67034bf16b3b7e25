/** The value of a colour token as it is now, for a canvas: there a token that differs by theme has no meaning. */
export function readColour(token: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(--${token})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
