import type { SessionPage } from '../../src/apps/dashboard/api.ts'
import { formatDuration } from '../app/format.ts'
import { Dot } from '../parts/chip.tsx'
import { Icon } from '../parts/icon.tsx'
import { Card } from '../parts/page.tsx'

const MOST_FILES = 12

/** What a session did: commands with their outcomes, commits, files, tools. */
export function SessionDid({ page }: { page: SessionPage }) {
  const { tools, files, commits, commands, running } = page
  const most = Math.max(1, ...tools.map(({ calls }) => calls))
  return (
    <div class="column">
      {running.length > 0 && (
        <Card title="Running">
          <ul class="facts">
            {running.map(({ what, kind, since }) => (
              <li key={`${what}${since}`}>
                <Dot tone="good" isPulsing />
                <span class="one-line">{what}</span>
                <span class="small quiet">{kind}</span>
              </li>
            ))}
          </ul>
        </Card>
      )}
      {commands.length > 0 && (
        <Card title="Commands" aside={<span class="small quiet">last outcome of each</span>}>
          <ul class="facts">
            {commands.map(({ name, failed, code, ms, detail }) => (
              <li key={name} title={detail}>
                <Dot tone={failed ? 'bad' : 'good'} />
                <code class="one-line">{name}</code>
                <span class={`small number ${failed ? 'is-bad-text' : 'quiet'}`}>
                  {failed
                    ? `failed${code === null ? '' : ` ${code}`}`
                    : ms > 0
                      ? formatDuration(ms)
                      : 'passed'}
                </span>
              </li>
            ))}
          </ul>
        </Card>
      )}
      {commits.length > 0 && (
        <Card title="Commits">
          <ul class="facts">
            {commits.map(({ hash, subject }) => (
              <li key={hash}>
                <Icon name="commit" size={14} />
                <span class="one-line">{subject}</span>
                <code class="small quiet">{hash.slice(0, 7)}</code>
              </li>
            ))}
          </ul>
        </Card>
      )}
      {files.length > 0 && (
        <Card title="Files" aside={<span class="small quiet">{files.length}</span>}>
          <ul class="facts">
            {files.slice(0, MOST_FILES).map((file) => (
              <li key={file} title={file}>
                <Icon name="file" size={14} />
                <code class="one-line">{file}</code>
              </li>
            ))}
            {files.length > MOST_FILES && <li class="quiet small">and {files.length - MOST_FILES} more</li>}
          </ul>
        </Card>
      )}
      {tools.length > 0 && (
        <Card title="Tools">
          <ul class="bars-list">
            {tools.map(({ name, calls }) => (
              <li key={name}>
                <span class="one-line">{name}</span>
                <span class="bars-track" aria-hidden="true">
                  <span style={{ width: `${(calls / most) * 100}%` }} />
                </span>
                <span class="small quiet number">{calls}</span>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </div>
  )
}
