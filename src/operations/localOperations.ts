import { accessOperations } from './accessOperations.ts'
import { bookOperations } from './bookOperations.ts'
import type { OperationDeps } from './deps.ts'
import { keyOperations } from './keyOperations.ts'
import { sayInDoubt } from './inDoubt.ts'
import { modelView } from './model.ts'
import type { Operations } from './operations.ts'
import { providerOperations } from './providerOperations.ts'
import { refusingSecrets } from './refuseSecrets.ts'
import { workspaceOperations } from './workspaceOperations.ts'

/** The operations on the store itself. */
export function createLocalOperations(deps: OperationDeps): Operations {
  const operations = sayInDoubt({
    ...workspaceOperations(deps),
    ...keyOperations(deps),
    ...bookOperations(deps),
    ...accessOperations(deps),
    models: async () => {
      const at = deps.clock()
      return { data: deps.models().map((model) => modelView(model, at)), next_cursor: null }
    },
    ...providerOperations(deps),
  })
  return deps.secrets ? refusingSecrets(operations, deps.secrets) : operations
}
