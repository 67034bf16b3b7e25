import type { SessionPage, SessionRequest } from '../../src/apps/dashboard/api.ts'
import { useNow } from '../app/clock.ts'
import { formatMoment, plural } from '../app/format.ts'
import { Chip } from '../parts/chip.tsx'
import { Icon } from '../parts/icon.tsx'
import { Markdown } from '../parts/markdown.tsx'
import { Card } from '../parts/page.tsx'

const HOW: Record<SessionRequest['how'], string> = {
  prompt: 'asked',
  queued: 'queued',
  command: 'command',
  refusal: 'refused',
  answer: 'answered',
}

/** What was asked, in the user's own words, and where it ended. */
export function SessionTalk({ page }: { page: SessionPage }) {
  const now = useNow()
  const { requests, moreRequests, lastAnswer, openQuestions, tasks, isUnread } = page
  return (
    <div class="column">
      {lastAnswer && (
        <Card title="Last answer" aside={<span class="small quiet">{formatMoment(lastAnswer.at, now)}</span>}>
          <Markdown text={lastAnswer.text} />
        </Card>
      )}
      {openQuestions.length > 0 && (
        <Card title="Waiting for an answer">
          <ul class="stack">
            {openQuestions.map(({ question, options }) => (
              <li key={question}>
                <p>{question}</p>
                <p class="chips">
                  {options.map((option) => (
                    <Chip key={option}>{option}</Chip>
                  ))}
                </p>
              </li>
            ))}
          </ul>
        </Card>
      )}
      <Card title="Requests" aside={<span class="small quiet">{requests.length + moreRequests}</span>}>
        {isUnread && <p class="quiet">Its transcript is gone or was never read.</p>}
        {!isUnread && requests.length === 0 && <p class="quiet">Nothing was asked yet.</p>}
        <ol class="requests">
          {moreRequests > 0 && <li class="small quiet">{plural(moreRequests, 'older request')} not kept</li>}
          {requests.map((request) => (
            <li key={`${request.at}${request.text}`} class="request">
              <p class="small quiet number">
                {formatMoment(request.at, now)}
                {request.how !== 'prompt' && ` · ${HOW[request.how]}`}
                {request.about && ` · ${request.about}`}
              </p>
              <p class="request-text">{request.text}</p>
              {request.outcome.length > 0 && (
                <p class="request-outcome small second">
                  <Icon name="arrow" size={13} />
                  <span>{request.outcome.join(' ')}</span>
                </p>
              )}
            </li>
          ))}
        </ol>
      </Card>
      {tasks.length > 0 && (
        <Card title="Tasks">
          <ul class="tasks">
            {tasks.map(({ text, state }) => (
              <li key={text} class={`task is-${state}`}>
                <span class="task-mark" aria-hidden="true">
                  {state === 'done' && <Icon name="check" size={12} />}
                </span>
                <span>
                  {text}
                  <span class="hidden-text"> ({state})</span>
                </span>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </div>
  )
}
