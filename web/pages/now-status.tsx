import type { StatusPage, WorkspaceRef } from '../../src/apps/dashboard/api.ts'
import { plural } from '../app/format.ts'
import { useVerb } from '../app/verbs.ts'
import { useView } from '../app/views.ts'
import { Button } from '../parts/button.tsx'
import { CommandLine } from '../parts/empty.tsx'
import { Icon } from '../parts/icon.tsx'

/** What git and the files say of a workspace: asked for after the first view, because it takes longer. */
export function NowStatus({ workspace }: { workspace: WorkspaceRef }) {
  const { data } = useView<StatusPage>(`/api/status?workspace=${encodeURIComponent(workspace.id)}`)
  const { isBusy, perform } = useVerb()
  if (!data) return null
  const drift = sayDrift(data)
  // What is due says its own command.
  const todo = data.todo
    .filter((command) => !data.due.some((one) => one.command === command))
    .slice(0, MOST_TODO)
  const isQuiet = [drift, todo, data.due, data.found].every((list) => list.length === 0) && data.trusted
  if (isQuiet) return null
  return (
    <div class="now-status">
      {drift.length + todo.length > 0 && (
        <div class="now-due small">
          {drift.length > 0 && (
            <p class="with-icon">
              <Icon name="warning" size={13} />
              Since the last save: {drift.join(', ')}
            </p>
          )}
          {todo.length > 0 && (
            <div class="now-todo">
              <span>To do</span>
              {todo.map((command) => (
                <CommandLine key={command} command={command} />
              ))}
            </div>
          )}
        </div>
      )}
      {data.due.map(({ what, why, command }) => (
        <div key={what} class="now-due small">
          <span>{why}</span>
          <CommandLine command={command} />
        </div>
      ))}
      {data.found.map(({ path, now, command }) => (
        <div key={path} class="now-due small">
          <span class="one-line">
            {path}: {now}
          </span>
          <CommandLine command={command} />
        </div>
      ))}
      {!data.trusted && (
        <p class="now-due small">
          <span>Not trusted: git checks and document edits are ignored</span>
          <Button
            icon="shield"
            isBusy={isBusy}
            onClick={() => void perform({ verb: 'trust', workspace: workspace.id, input: {} })}
          >
            Trust
          </Button>
        </p>
      )}
    </div>
  )
}

const MOST_TODO = 3

/** What changed in the world since the last save. */
function sayDrift({ drift, uncommitted, foreign }: StatusPage): string[] {
  return [
    drift?.branch && `the branch went from ${drift.branch.was} to ${drift.branch.now}`,
    drift?.commitsSince && plural(drift.commitsSince, 'commit'),
    drift?.filesChanged && `${plural(drift.filesChanged, 'known file')} changed`,
    drift?.filesGone && `${plural(drift.filesGone, 'known file')} missing`,
    drift && uncommitted && `${plural(uncommitted, 'file')} uncommitted`,
    drift?.planStep && `the plan is at ${drift.planStep}`,
    foreign && `${plural(foreign, 'document')} to review`,
  ].filter((words) => typeof words === 'string')
}
