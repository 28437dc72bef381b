import { answersPath } from "../../answer-address.ts";
import { showReturnNotice } from "./return-notice.ts";
import type { ReturnDeps } from "./return-page.ts";
import { type BrokenPage, returnStore } from "./return-store.ts";

/** Remembers that the page on screen shows an error, with what was typed into its forms. */
export async function rememberBroken(digest: string, { page, tag }: ReturnDeps): Promise<void> {
  const { url, drafts } = await page();
  const typed = drafts.here().map(({ name, nth, fields }) => ({ name, nth, fields }));
  returnStore.putBroken({ digest, page: url, at: Date.now(), tag: tag(), drafts: typed });
}

/** Asks whether what broke in earlier visits is repaired, and leads the visitor back to it. */
export async function askAboutBroken(deps: ReturnDeps): Promise<void> {
  for (const one of returnStore.takeQuestions()) {
    // Another person must not learn which pages this one has visited.
    if (one.tag !== "" && one.tag !== deps.tag()) continue;
    if ((await stateOf(one.digest)) === "repaired") showRepaired(one, deps);
  }
}

function showRepaired(one: BrokenPage, { page, navigate }: ReturnDeps): void {
  const forget = (): void => returnStore.dropBroken(one.digest);
  const open = async (): Promise<void> => {
    const { url, drafts } = await page();
    for (const draft of one.drafts) drafts.adopt(draft);
    forget();
    if (url !== one.page) navigate(one.page);
  };
  showReturnNotice({
    at: one.at,
    texts: ["returnRepaired"],
    link: ["continueThere", one.page, () => void open()],
    buttons: [["close", forget]],
  });
}

/** Undefined if the server does not answer, or is asked too often. */
async function stateOf(digest: string): Promise<unknown> {
  try {
    const response = await fetch(`${answersPath}/${digest}`, { headers: { accept: "application/json" } });
    const answer: unknown = await response.json();
    return typeof answer === "object" && answer !== null && "state" in answer ? answer.state : undefined;
  } catch {
    return undefined;
  }
}
