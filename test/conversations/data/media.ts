import { type Conversation, asks, call, tool, user } from '../conversation.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const PDF_URL =
  'data:application/pdf;base64,JVBERi0xLjEKJcKlwrHDqwoKMSAwIG9iagogIDw8IC9UeXBlIC9DYXRhbG9nID4+CmVuZG9iagp0cmFpbGVyCiUlRU9GCg=='

/** What is not text. */
export const MEDIA_CONVERSATIONS: readonly Conversation[] = [
  asks('an image as a data URL', {
    messages: [user([text('What is this?'), image(`data:image/png;base64,${PNG}`)])],
  }),
  asks('an image as an http URL', {
    messages: [user([text('What is this?'), image('https://example.com/sea.png')])],
  }),
  asks('several images between texts', {
    messages: [
      user([
        text('Before:'),
        image(`data:image/png;base64,${PNG}`),
        text('after:'),
        image(`data:image/jpeg;base64,${PNG}`),
        text('What changed?'),
      ]),
    ],
  }),
  asks('the detail of an image', {
    messages: [
      user([{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'low' } }]),
    ],
  }),
  asks('an image in a tool result', {
    messages: [
      user('What does the camera show?'),
      { role: 'assistant', content: null, tool_calls: [call('call_1', 'camera', {})] },
      {
        role: 'tool',
        tool_call_id: 'call_1',
        content: [text('Here:'), image(`data:image/png;base64,${PNG}`)],
      },
    ],
    tools: [tool('camera')],
  }),
  asks('an image that the model made, sent back', {
    messages: [
      user('Draw the sea.'),
      {
        role: 'assistant',
        content: 'Here.',
        images: [{ ...image(`data:image/png;base64,${PNG}`), index: 0 }],
      },
      user('Add a boat.'),
    ],
  }),
  asks('a PDF file', {
    messages: [user([text('Sum this up.'), { type: 'file', file: { file_data: PDF_URL } }])],
  }),
  asks('the name of a file', {
    messages: [
      user([text('Sum this up.'), { type: 'file', file: { filename: 'tides.pdf', file_data: PDF_URL } }]),
    ],
  }),
  asks('audio', {
    messages: [user([{ type: 'input_audio', input_audio: { data: 'UklGRiQAAABXQVZF', format: 'wav' } }])],
  }),
]

function text(text: string) {
  return { type: 'text', text }
}

function image(url: string) {
  return { type: 'image_url', image_url: { url } }
}
