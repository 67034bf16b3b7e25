/** The last whole number that fits, on the way from one that does to one that does not. */
export function bisectRange(first: number, last: number, fits: (value: number) => boolean): number {
  let [good, bad] = [first, last]
  while (Math.abs(bad - good) > 1) {
    const middle = (good + bad) >> 1
    if (fits(middle)) good = middle
    else bad = middle
  }
  return good
}
