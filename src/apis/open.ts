/** Opens everything that doors ask of APIs, over one book. */
import { ApiBook, type ApiBookPorts, type DocumentReader } from "./book.ts";
import type { Apis } from "./contract.ts";
import { ProviderDesk, ToolDesk } from "./described-tools.ts";
import { ImportDesk } from "./imports.ts";
import { sealOldAddresses, withSealedAddresses } from "./sealed-addresses.ts";

export interface KeptApis extends Apis {
  /** Brings every API under the hub. */
  attachAll(): Promise<void>;
}

export function openApis(ports: ApiBookPorts, reader: DocumentReader): KeptApis {
  const book = new ApiBook({ ...ports, table: withSealedAddresses(ports.table, ports.secrets) });
  return {
    tools: new ToolDesk(book),
    providers: new ProviderDesk(book),
    imports: new ImportDesk(book, reader),
    attachAll: async () => {
      await sealOldAddresses(ports.table, ports.secrets);
      await book.attachAll();
    },
  };
}
