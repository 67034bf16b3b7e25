import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Locator, type Page } from 'playwright-core'
import { cliPath, projectRoot, Sandbox } from '../support/sandbox.ts'
import { type FilledHome, fillHome } from './filled-home.ts'

const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
]

export const DESK = { width: 1280, height: 800 }
export const PHONE = { width: 390, height: 844 }

/** Longer than anything takes on a busy machine: only what never comes meets it. */
const PATIENCE_MS = 20_000

/** A real browser with a profile of its own; scripts/test-dashboard.mjs says where it is. */
async function openBrowser(): Promise<{ context: BrowserContext; close: () => Promise<void> }> {
  const profile = mkdtempSync(join(tmpdir(), 'savepoint-browser-'))
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
  const context = await chromium.launchPersistentContext(profile, {
    ...{ executablePath, headless: true, args: FLAGS, viewport: DESK, reducedMotion: 'reduce' },
  })
  context.setDefaultTimeout(PATIENCE_MS)
  return {
    context,
    close: async () => {
      await context.close()
      rmSync(profile, { recursive: true, force: true })
    },
  }
}

export interface RunningDashboard {
  /** The link with its token; it works once. */
  url: string
  origin: string
  pid: number
  stop: () => Promise<void>
}

/** The built command, as a user starts it. */
export function startDashboard(box: Sandbox): Promise<RunningDashboard> {
  const child = spawn(process.execPath, [cliPath, 'dashboard', '--no-open', '--json'], {
    ...{ cwd: box.repo, env: box.env, stdio: ['pipe', 'pipe', 'pipe'] },
  })
  return new Promise((resolve, reject) => {
    let told = ''
    const late = setTimeout(() => reject(new Error(`the dashboard did not start: ${told}`)), PATIENCE_MS)
    child.once('exit', (code) => reject(new Error(`the dashboard ended with ${code}: ${told}`)))
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        told += chunk
        const line = told.split('\n').find((one) => one.startsWith('{'))
        if (!line?.endsWith('}')) return
        clearTimeout(late)
        const { url } = JSON.parse(line)
        resolve({ url, origin: new URL(url).origin, pid: child.pid ?? 0, stop: () => stopChild(child) })
      })
  })
}

function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return Promise.resolve()
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGTERM')
  return gone
}

/** A browser at a running dashboard. */
export class DashboardLab {
  readonly box: Sandbox
  readonly filled: FilledHome | null
  readonly context: BrowserContext
  readonly page: Page
  readonly origin: string
  readonly pid: number
  /** What the browser complains about: a script that failed, or something that the policy forbids. */
  readonly complaints: string[] = []
  readonly close: () => Promise<void>

  private constructor(
    home: { box: Sandbox; filled: FilledHome | null },
    browser: { context: BrowserContext; page: Page },
    server: RunningDashboard,
    close: () => Promise<void>,
  ) {
    this.box = home.box
    this.filled = home.filled
    this.context = browser.context
    this.page = browser.page
    this.origin = server.origin
    this.pid = server.pid
    this.close = close
    this.page.on('pageerror', (error) => this.complaints.push(String(error)))
    this.page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.complaints.push(message.text())
    })
  }

  /** `fill`: a week of work; without it a repository in which nothing was ever saved. */
  static async open(fill: boolean): Promise<DashboardLab> {
    const root = mkdtempSync(join(tmpdir(), 'savepoint-dashboard-'))
    const filled = fill ? await fillHome(root) : null
    const box = filled?.api ?? makeEmpty(root)
    return DashboardLab.openOn(box, filled, () => rmSync(root, { recursive: true, force: true }))
  }

  static async openOn(box: Sandbox, filled: FilledHome | null, clean: () => void): Promise<DashboardLab> {
    const server = await startDashboard(box)
    const { context, close: closeBrowser } = await openBrowser()
    const page = await context.newPage()
    const lab = new DashboardLab({ box, filled }, { context, page }, server, async () => {
      await closeBrowser()
      await server.stop()
      clean()
    })
    await page.goto(server.url)
    await page.getByText('Live', { exact: true }).filter({ visible: true }).waitFor()
    return lab
  }

  /** Goes to a place of the page. */
  async goTo(place: string): Promise<void> {
    await this.page.evaluate(`location.hash = ${JSON.stringify(place)}`)
  }

  /** Until something is on the screen. */
  see(words: string | RegExp, within: Page | Locator = this.page): Promise<void> {
    return within.getByText(words).filter({ visible: true }).first().waitFor()
  }

  button = (name: string | RegExp) =>
    this.page.getByRole('button', { name }).filter({ visible: true }).first()

  /** What a route answers to this browser. */
  api<Answer>(path: string): Promise<Answer> {
    return this.page.evaluate(`fetch(${JSON.stringify(path)}).then((answer) => answer.json())`)
  }

  /** The command line in the same home, as a user in a terminal. */
  cli(...words: string[]): Record<string, unknown> {
    return this.box.json(words)
  }
}

function makeEmpty(root: string): Sandbox {
  const box = new Sandbox(root)
  for (const folder of [box.repo, join(root, 'user')]) mkdirSync(folder, { recursive: true })
  box.git('init', '--quiet')
  return box
}

/** Screenshots of each run, to look at; those of the documents are drawn anew with `--pictures`. */
const FOLDER = join(projectRoot, 'screenshots')
const PICTURES = join(projectRoot, 'docs', 'pictures')

export async function takePicture(page: Page, name: string, { kept = false } = {}): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  const { width } = page.viewportSize() ?? DESK
  const isKept = kept && process.env.SAVEPOINT_PICTURES === '1'
  const path = isKept ? join(PICTURES, `dashboard-${name}.png`) : join(FOLDER, `${name}.png`)
  // Pictures of the documents are as wide as a page shows them, and small.
  const clip = isKept && width > PHONE.width ? { clip: { x: 0, y: 0, width, height: 720 } } : {}
  await page.screenshot({ path, animations: 'disabled', ...clip })
}
