import {
  type Frame,
  type Script,
  openaiChunk,
  openaiCompletion,
  openaiError,
  openaiUsage,
  respond,
  sse,
  stream,
} from '../../support/scriptedProvider.ts'
import { AT_ONE_TIME, type Reported, type Told, isStreamed } from './told.ts'

export function toldInOpenai(told: Told): Script {
  const usage = told.usage && openaiUsageOf(told.usage)
  return ({ body }) => {
    if (!isStreamed(body)) {
      if (told.breaks === 'error') return openaiError(500)
      if (told.breaks) return told.breaks
      const whole = openaiCompletion(told.texts.join(''), { finishReason: told.finish, usage: usage ?? null })
      return respond({ body: whole })
    }
    const said: Frame[] = [
      openaiChunk({ role: 'assistant', content: '' }),
      ...(told.thought === undefined ? [] : [openaiChunk({ reasoning_content: told.thought })]),
      ...told.texts.map((content) => openaiChunk({ content })),
    ]
    if (told.breaks === 'error')
      return stream([...said, sse({ error: { message: 'Oh.', type: 'server_error' } })])
    if (told.breaks) return stream([...said, told.breaks])
    // Some send the report beside the reason: it is then known although the reason is a failure.
    const end = openaiChunk({}, { finishReason: told.finish, ...(usage && { more: { usage } }) })
    return stream([...said, end, '[DONE]'], AT_ONE_TIME)
  }
}

function openaiUsageOf({ prompt, cached = 0, written = 0, completion, thoughts = 0 }: Reported) {
  return openaiUsage(prompt, completion, {
    prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    completion_tokens_details: { reasoning_tokens: thoughts },
  })
}
