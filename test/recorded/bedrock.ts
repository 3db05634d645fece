import type { Recordings } from './recording.ts'

export const bedrock: Recordings = {
  provider: 'bedrock',
  answers: [
    {
      shape: 'Nova: text, padded events, an empty last piece, each cache count by two names',
      files: ['text.json', 'text.jsonl'],
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (streaming responses, nova)',
      tells: { text: 'Ahoj – světe!', finish: 'stop', usage: { promptTokens: 11, completionTokens: 6 } },
    },
    {
      shape: 'Claude: signed and redacted reasoning',
      files: ['reasoning.json', 'reasoning.jsonl'],
      source: 'pydantic/pydantic-ai tests/models/cassettes/test_bedrock (thinking, redacted)',
      tells: {
        text: 'Three.',
        reasoning: 'Three r’s.',
        finish: 'stop',
        usage: { promptTokens: 36, completionTokens: 41 },
      },
    },
    {
      shape: 'two calls in pieces, empty ones among them; no messageStart; metadata before messageStop',
      files: ['tools.json', 'tools.jsonl'],
      source: 'vercel/ai packages/amazon-bedrock/src/__fixtures__/amazon-bedrock-tool-no-args.chunks.txt',
      tells: {
        text: 'Moment –',
        calls: [
          ['get_weather', '{"city":"Málaga","days":3}'],
          ['get_time', '{}'],
        ],
        finish: 'tool_calls',
        usage: { promptTokens: 932, completionTokens: 58 },
      },
    },
    {
      shape: 'gpt-oss: an empty text before unsigned reasoning',
      files: ['unsigned.json', 'unsigned.jsonl'],
      source: 'pydantic/pydantic-ai tests/models/cassettes/test_bedrock (stream, empty text delta)',
      tells: {
        text: 'Hei!',
        reasoning: 'A greeting – short.',
        finish: 'stop',
        usage: { promptTokens: 70, completionTokens: 19 },
      },
    },
    {
      shape: 'Qwen: reasoning and no answer',
      files: ['thoughts-alone.json'],
      source: 'pydantic/pydantic-ai tests/models/cassettes/test_bedrock (thinking high, qwen)',
      tells: {
        reasoning: '\nOkay – the user wants one word.\n',
        finish: 'stop',
        usage: { promptTokens: 15, completionTokens: 55 },
      },
    },
    {
      shape: 'the limit reached; a prompt of which a part was cached and a part written',
      files: ['cached.json', 'cached.jsonl'],
      source: 'pydantic/pydantic-ai tests/models/cassettes/test_bedrock (cache write and read)',
      tells: {
        text: 'Oui – voilà.',
        finish: 'length',
        usage: { promptTokens: 2_374, cachedTokens: 2_074, cacheWriteTokens: 297, completionTokens: 61 },
      },
    },
    {
      shape: 'the words of a guardrail in place of an answer, with its trace',
      files: ['guardrail.json', 'guardrail.jsonl'],
      source: '@aws-sdk/client-bedrock-runtime dist-types/models; pydantic/pydantic-ai (guardrail config)',
      tells: {
        text: 'Désolé, I cannot answer that.',
        finish: 'content_filter',
        usage: { promptTokens: 13 },
      },
    },
    {
      shape: "Nova's own search: no call of the caller's, citations in a block of their own",
      files: ['grounded.json', 'grounded.jsonl'],
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (web search, nova, streamed)',
      tells: {
        text: 'The Brücke opened in 1902.',
        citations: 2,
        finish: 'stop',
        usage: { promptTokens: 141, completionTokens: 95 },
      },
    },
    {
      shape: 'a rate used up in the middle',
      files: ['throttled.jsonl'],
      source: 'strands-agents/agent-builder issue 31',
      tells: { fails: 'rate_limited' },
    },
    {
      shape: 'a failure of the model in the middle',
      files: ['broken.jsonl'],
      source: '@aws-sdk/client-bedrock-runtime dist-types/models',
      tells: { fails: 'server' },
    },
  ],
  errors: [
    {
      shape: 'Nova: a prompt above the context',
      file: 'error-too-long.json',
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (context length exceeded, nova)',
      status: 400,
      headers: {
        'x-amzn-errortype': 'ValidationException:http://internal.amazon.com/coral/com.amazon.bedrock/',
      },
      fails: { kind: 'too_large', code: 'ValidationException' },
    },
    {
      shape: 'a wrong key',
      file: 'error-key.json',
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (authentication, nova)',
      status: 403,
      headers: {
        'x-amzn-errortype':
          'UnrecognizedClientException:http://internal.amazon.com/coral/com.amazon.coral.service/',
      },
      fails: { kind: 'credential', code: 'UnrecognizedClientException' },
    },
    {
      shape: 'a rate used up, in words that sound like a long prompt',
      file: 'error-throttled.json',
      source: 'ranxianglei/billion-context-pi issue 169',
      status: 429,
      headers: { 'x-amzn-errortype': 'ThrottlingException' },
      fails: { kind: 'rate_limited', code: 'ThrottlingException' },
    },
    {
      shape: 'a rate used up, named in the body',
      file: 'error-throttled-body.json',
      source: 'pydantic/pydantic-ai tests/models/cassettes/test_bedrock (throttling error)',
      status: 429,
      fails: { kind: 'rate_limited', code: 'ThrottlingException' },
    },
    {
      shape: 'an unknown model',
      file: 'error-model.json',
      source: 'pydantic/pydantic-ai tests/models/cassettes/test_bedrock (error)',
      status: 400,
      fails: { kind: 'not_found' },
    },
    {
      shape: 'what the model does not take',
      file: 'error-malformed.json',
      source: 'pydantic/pydantic-ai tests/models/cassettes/test_multimodal_tool_returns (bedrock nova)',
      status: 400,
      fails: { kind: 'bad_request' },
    },
    {
      shape: 'a failure, named in the body',
      file: 'error-server.json',
      source: 'pydantic/pydantic-ai tests/models/cassettes/test_bedrock (server error)',
      status: 500,
      fails: { kind: 'server', code: 'InternalServerError' },
    },
  ],
}
