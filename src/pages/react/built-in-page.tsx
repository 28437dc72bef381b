import { type MouseEvent, type ReactNode, use, useState, useSyncExternalStore } from "react";
import type { LanguageAddresses } from "#routes";
import { languages } from "#routes/href";
import { answersPath } from "../answer-address.ts";
import type { BuiltIn } from "../parts.ts";
import * as english from "../texts/english.ts";
import { builtInStyle } from "./built-in-style.ts";
import { PageContext, type PageContextValue } from "./page-context.ts";

/**
 * Shown when the application has no page of its own for an error or a missing page: what happened, the digest, and
 * links that need no script. Its style is one constant text, so that the Content Security Policy can allow it by its
 * hash.
 */
export function BuiltInPage(shown: BuiltIn): ReactNode {
  const { title, text } = words(shown);
  const digest = shown.kind === "error" ? shown.digest : undefined;
  const page = use(PageContext);
  // As `useAnswerAddress` does; what that shares with this file would be in the first load of every page.
  const hasAnswers = page?.hasAnswers ?? document.querySelector("[data-answers]");
  const path = page?.path ?? "/";
  const up = upFrom(languages ? languages.without(path) : path, page);
  const alive = useAlive();
  const Around = shown.inLayout ? "div" : "main";
  return (
    <Around className={shown.inLayout ? "holdfast-page" : "holdfast-page alone"}>
      <title>{title}</title>
      <meta name="robots" content="noindex" />
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: our own constant; as a child React would escape
          its quotes */}
      <style dangerouslySetInnerHTML={{ __html: builtInStyle }} />
      <h1>{title}</h1>
      <p>{text}</p>
      {digest && (
        <form method="post" action="/_holdfast/note">
          {languages ? languages.text("digest") : english.digest} <br />
          <code>{digest}</code> {alive && <CopyButton />}
          <p>
            {languages ? languages.text("alreadyReported") : english.alreadyReported}{" "}
            {hasAnswers && (
              <a href={`${answersPath}/${digest}`} data-hard="" className="plain">
                {languages ? languages.text("seeRepaired") : english.seeRepaired}
              </a>
            )}
          </p>
          <input type="hidden" name="digest" value={digest} />
          <label>
            {languages ? languages.text("whatWereYouDoing") : english.whatWereYouDoing}
            <textarea name="note" rows={2} maxLength={2000} required />
          </label>
          <button type="submit">{languages ? languages.text("sendNote") : english.sendNote}</button>
        </form>
      )}
      <nav aria-label={languages ? languages.text("waysOut") : english.waysOut}>
        {shown.kind === "error" && (
          <a href={path + (page?.search ?? "")} data-hard="" className="primary">
            {languages ? languages.text("reload") : english.reload}
          </a>
        )}
        {alive ? (
          <button type="button" onClick={() => history.back()}>
            {languages ? languages.text("back") : english.back}
          </button>
        ) : (
          page?.back && <a href={page.back}>{languages ? languages.text("back") : english.back}</a>
        )}
        {up &&
          (languages ? (
            <a href={languages.address(up)}>
              {languages.text("upTo").replace("{path}", () => languages?.address(up) ?? up)}
            </a>
          ) : (
            <a href={up}>Up to {up}</a>
          ))}
        {isPage("/", page) && (
          <a href={languages ? languages.address("/") : "/"}>{languages ? languages.text("home") : english.home}</a>
        )}
      </nav>
    </Around>
  );
}

/** Listed, so that the bundler leaves the other texts out. */
const copyTexts = { copy: english.copy, copied: english.copied, notCopied: english.notCopied };

/**
 * Follows the digest. It selects the digest and copies the selection: unlike `navigator.clipboard`, that needs no
 * permission and works in plain HTTP. What cannot be copied stays selected.
 */
function CopyButton(): ReactNode {
  const [said, say] = useState<keyof typeof copyTexts>("copy");
  const copy = ({ currentTarget }: MouseEvent): void => {
    const digest = currentTarget.previousElementSibling;
    if (digest) getSelection()?.selectAllChildren(digest);
    say(document.execCommand("copy") ? "copied" : "notCopied");
  };
  return (
    <button type="button" aria-live="polite" onClick={copy}>
      {languages ? languages.text(said) : copyTexts[said]}
    </button>
  );
}

interface Words {
  title: string;
  text: string;
}

function words(shown: BuiltIn): Words {
  if (shown.kind === "not-found")
    return languages
      ? wordsIn(languages, "pageNotFound", "noPageAt", shown.path)
      : { title: english.pageNotFound, text: `There is no page at ${shown.path}.` };
  if (shown.status === 401)
    return languages
      ? wordsIn(languages, "signInNeeded", "onlySignedIn")
      : { title: english.signInNeeded, text: english.onlySignedIn };
  if (shown.status === 403)
    return languages
      ? wordsIn(languages, "notAllowed", "accountMayNot")
      : { title: english.notAllowed, text: english.accountMayNot };
  if (shown.status === 400)
    return languages
      ? wordsIn(languages, "addressWrong", "addressWrongValue")
      : { title: english.addressWrong, text: english.addressWrongValue };
  if (shown.status === 413)
    return languages
      ? wordsIn(languages, "tooMuchSent", "formTooLarge")
      : { title: english.tooMuchSent, text: english.formTooLarge };
  if (shown.status === 415)
    return languages
      ? wordsIn(languages, "formNotTaken", "noSuchFiles")
      : { title: english.formNotTaken, text: english.noSuchFiles };
  if (shown.status < 500)
    return languages
      ? wordsIn(languages, "notAvailable", "cannotBeShown")
      : { title: english.notAvailable, text: english.cannotBeShown };
  if (shown.reason === "redirect-loop")
    return languages
      ? wordsIn(languages, "redirectCircle", "redirectCircleText")
      : { title: english.redirectCircle, text: english.redirectCircleText };
  if (shown.reason === "loop")
    return languages
      ? wordsIn(languages, "doesNotLoad", "doesNotLoadText")
      : { title: english.doesNotLoad, text: english.doesNotLoadText };
  const side = shown.side === "server" ? "server" : "client";
  return languages
    ? wordsIn(languages, "applicationError", `${side}Exception`)
    : { title: english.applicationError, text: `A ${side}-side exception has occurred.` };
}

function wordsIn({ text: say }: LanguageAddresses, title: string, text: string, path = ""): Words {
  return { title: say(title), text: say(text).replace("{path}", () => path) };
}

/** The nearest parent page without parameters: one with parameters may be missing too. */
function upFrom(path: string, page: PageContextValue | null): string {
  let up = path;
  do up = up.slice(0, up.lastIndexOf("/"));
  while (up && !isPage(up, page));
  return up;
}

/** Whether a page without parameters has this path. A page with parameters may not exist for every value. */
function isPage(path: string, context: PageContextValue | null): boolean {
  return !context || context.routes.some(({ id, page }) => page && id === path);
}

/** True after hydration: only then are buttons that need scripts rendered. */
function useAlive(): boolean {
  return useSyncExternalStore(
    () => () => undefined,
    () => true,
    () => false,
  );
}
