import { GUIDE_GROUPS, type Guide, guideNames, readGuide } from './guides.ts'

/** For programs that read all of it only where they have room. */
const OPTIONAL = /^(?:errors|decisions)\//

/**
 * `/llms.txt`: what this server is and a list of its documents as Markdown, for programs that read. The format is that of
 * llmstxt.org: a title, a summary, then sections of links.
 * @param address the base URL of links; undefined: they are paths
 */
export async function llmsText(address = ''): Promise<string> {
  const sections = await Promise.all(
    GUIDE_GROUPS.map(async ({ title, names }) => section(title, await lines(names, address))),
  )
  const optional = await lines(
    guideNames()
      .filter((name) => OPTIONAL.test(name))
      .sort(),
    address,
  )
  return [
    '# Tollgate',
    '> An LLM gateway with prepaid billing: one API in front of many providers, in the formats of OpenAI and Anthropic, with API keys, exact limits and a balance that cannot be overspent.',
    `Applications call \`${address}/v1\` with a key from the operator of this gateway. Models and prices: \`${address}/api/v1/public/models\`. Every path with its fields, as OpenAPI 3.1: \`${address}/openapi.json\`.`,
    ...sections,
    section('Optional', optional),
    '',
  ].join('\n\n')
}

function section(title: string, entries: readonly string[]): string {
  return `## ${title}\n\n${entries.join('\n')}`
}

async function lines(names: readonly string[], address: string): Promise<string[]> {
  const guides = await Promise.all(names.map((name) => readGuide(name)))
  return guides
    .filter((guide): guide is Guide => guide !== undefined)
    .map(({ name, title, description }) => `- [${title}](${address}/docs/${name}.md): ${description}`)
}
