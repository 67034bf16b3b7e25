import { emitKeypressEvents, type Interface, type Key } from 'node:readline'
import { Readable } from 'node:stream'
import { visible } from '../../core/visible.ts'

/** Where keys come from: a terminal, which can be told to give every key at once. */
export interface KeySource extends Readable {
  setRawMode?(isRaw: boolean): unknown
}

/** What a question is given: text to insert, or a key to act upon. */
interface Stroke {
  text: string | undefined
  key: Key
}

/** Stands for a line break in a line that is edited; an answer has the break itself. */
export const LINE_BREAK_SIGN = '\u23ce'

/** More than anybody reads again in a line; what is longer is refused, not cut. */
export const MAX_ANSWER = 100_000

/** A key that is pressed alone and one that begins a sequence are told apart by time. */
const ESCAPE_MS = 50

/**
 * The keys of a terminal, for one question after another.
 * A paste arrives as one text and its line breaks answer nothing; what is typed early waits for its question.
 */
export class Keyboard {
  readonly #source: KeySource
  #waiting: Stroke[] = []
  #pasted: string | null = null
  #afterReturn = false
  #length = 0
  #isScheduled = false
  #isOver = false
  #question: { keys: Readable; cancel: () => void } | null = null

  constructor(source: KeySource) {
    this.#source = source
    // `as`: of an interface, nothing but this number is read.
    emitKeypressEvents(source, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface)
    source.on('keypress', this.#take)
    for (const end of ['end', 'close', 'error']) source.on(end, this.#end)
    source.setRawMode?.(true)
    source.resume()
  }

  /** More came for one question than it may have. */
  get isTooLong(): boolean {
    return this.#length > MAX_ANSWER
  }

  /** The keys of one question; `cancel` is called where none will come that could answer it. */
  listen(cancel: () => void): Readable {
    const keys = new Readable({ read: () => undefined })
    this.#question = { keys, cancel }
    this.#length = 0
    this.#schedule()
    return keys
  }

  /** Gives the terminal back. What came after the last answer is returned: nobody else will see it. */
  close(): string {
    this.#source.off('keypress', this.#take)
    for (const end of ['end', 'close', 'error']) this.#source.off(end, this.#end)
    this.#source.setRawMode?.(false)
    this.#source.pause()
    return this.#waiting
      .map(({ text = '' }) => text.replace(/[\r\n]/, ' '))
      .join('')
      .trim()
  }

  readonly #end = (): void => {
    this.#isOver = true
    this.#schedule()
  }

  readonly #take = (text: string | undefined, key: Key): void => {
    if (this.#pasted !== null && !(key.ctrl && key.name === 'c')) {
      if (key.name === 'paste-end') {
        this.#push({ text: inLine(this.#pasted), key: {} })
        this.#pasted = null
      } else this.#pasted += key.sequence ?? text ?? ''
      return
    }
    // The second half of a line break, and what would stop the process with the terminal as it is now.
    const isPassed = (key.name === 'enter' && this.#afterReturn) || (key.ctrl && key.name === 'z')
    this.#afterReturn = key.name === 'return'
    if (isPassed) return
    if (key.name === 'paste-start') this.#pasted = ''
    else if (key.name === 'enter') this.#push({ text: '\r', key: { ...key, name: 'return' } })
    else this.#push({ text, key })
  }

  #push(stroke: Stroke): void {
    this.#waiting.push(stroke)
    this.#schedule()
  }

  /** Keys that arrive together are given together: a question draws itself anew for each. */
  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#give()
    })
  }

  #give(): void {
    if (this.#question === null) return
    const { keys, cancel } = this.#question
    // A question that has its answer listens no more.
    const isOpen = () => keys.listenerCount('keypress') > 0
    let isLost = false
    while (isOpen() && !isLost) {
      const stroke = this.#next()
      if (stroke === undefined) break
      this.#length += stroke.text?.length ?? 0
      if (!this.isTooLong) keys.emit('keypress', stroke.text, stroke.key)
      // The end of input, typed on an empty line, closes the line and not the question.
      isLost = this.isTooLong || keys.isPaused()
    }
    if (isOpen() && (isLost || this.#isOver)) cancel()
  }

  /** The next key, or all the text up to it. */
  #next(): Stroke | undefined {
    const other = this.#waiting.findIndex((stroke) => !isText(stroke))
    const texts = other === -1 ? this.#waiting.length : other
    if (texts < 2) return this.#waiting.shift()
    const text = this.#waiting.splice(0, texts).map((stroke) => stroke.text)
    return { text: text.join(''), key: {} }
  }
}

const isText = ({ text, key: { ctrl, meta } }: Stroke) =>
  text !== undefined && !ctrl && !meta && !/\p{Cc}/u.test(text)

/** A pasted text as it can stand in a line: its breaks marked, no tabs, nothing that drives a terminal. */
const inLine = (text: string) =>
  text
    .trimEnd()
    .split(/\r\n?|\n/)
    .map((line) => visible(line.replaceAll('\t', ' ')))
    .join(LINE_BREAK_SIGN)
