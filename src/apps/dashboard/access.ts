import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const newSecret = () => randomBytes(32).toString('base64url')

/** Whether two secrets are the same, in a time that tells nothing about how much of them is. */
function isSameSecret(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(wanted))
}

/**
 * That somebody knows a key, without telling it: behind the port of a server that is dead another program may listen,
 * and must neither learn the key nor pass for the server.
 */
export const proveKey = (key: string, what: string) =>
  createHmac('sha256', key).update(what).digest('base64url')

/** So many links may wait to be opened, the newest: one is made at each start of the command. */
const MOST_LINKS = 8

/**
 * Who may use the page. A link opens it once: its token is exchanged for a cookie, which lives as long as the server.
 * `key` is for the same user's next `savepoint dashboard`, which finds it in a private file and asks for another link.
 */
export class Access {
  readonly key = newSecret()
  private readonly cookie = newSecret()
  private readonly tokens: string[] = []
  readonly cookieName: string

  /** Cookies know no ports: two servers of one machine must not take each other's. */
  constructor(port: number) {
    this.cookieName = `savepoint_${port}`
  }

  newToken(): string {
    const token = newSecret()
    this.tokens.push(token)
    if (this.tokens.length > MOST_LINKS) this.tokens.shift()
    return token
  }

  /** The cookie in exchange for a token, which is used up by that; null for any other text. */
  exchange(given: string): string | null {
    const place = this.tokens.findIndex((token) => isSameSecret(given, token))
    if (place < 0) return null
    this.tokens.splice(place, 1)
    // Only what is asked for data gets it: other servers of this host are sent no more than they must be.
    return `${this.cookieName}=${this.cookie}; Path=/api; HttpOnly; SameSite=Strict`
  }

  /** Whether a `Cookie` header has ours: a server at another port can set one of the same name beside it. */
  isKnown(header: string | undefined): boolean {
    return (header ?? '')
      .split(';')
      .some((part) => isSameSecret(part.trim(), `${this.cookieName}=${this.cookie}`))
  }

  isOwner(authorization: string | undefined): boolean {
    return isSameSecret(authorization ?? '', `Bearer ${proveKey(this.key, 'link')}`)
  }
}
