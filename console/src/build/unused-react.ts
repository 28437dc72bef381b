import type { Plugin } from "vite";

/** The version whose functions are named below. After an update each list is compared with the new code. */
const reactVersion = "19.3.1";

/**
 * Functions of react-dom that run only for parts of React that no screen of the console uses, by part. They are a
 * sixth of its bytes, and no bundler can know that they are never called.
 */
const unusedFunctions: Readonly<Record<string, readonly string[]>> = {
  ViewTransition: [
    "applyViewTransitionName",
    "applyViewTransitionToHostInstances",
    "commitAfterMutationEffectsOnFiber",
    "commitAppearingPairViewTransitions",
    "commitDeletedPairViewTransitions",
    "commitEnterViewTransitions",
    "commitExitViewTransitions",
    "commitNestedViewTransitions",
    "createViewTransitionInstance",
    "getViewTransitionClassName",
    "getViewTransitionName",
    "measureNestedViewTransitions",
    "restoreEnterOrExitViewTransitions",
    "restoreNestedViewTransitions",
    "restoreViewTransitionName",
    "restoreViewTransitionOnHostInstances",
    "scheduleViewTransitionEvent",
    "startViewTransition",
    "trackEnterViewTransitions",
  ],
  "ref of a Fragment": [
    "FragmentInstance",
    "addFragmentHandleToFiber",
    "commitFragmentInstanceDeletionEffects",
    "commitFragmentInstanceInsertionEffects",
    "commitNewChildToFragmentInstance",
    "commitNewChildToFragmentInstances",
    "deleteChildFromFragmentInstance",
  ],
  Activity: ["updateActivityComponent"],
  SuspenseList: ["updateSuspenseListComponent"],
  "stylesheets and scripts as components": [
    "accumulateSuspenseyCommitOnFiber",
    "acquireResource",
    "getResource",
    "insertSuspendedStylesheets",
    "preloadResource",
    "waitForCommitToBeReady",
  ],
  "preload, preinit and their like": [
    "preconnectAs",
    "preinitModuleScript",
    "preinitScript",
    "preinitStyle",
    "preload",
    "preloadModule",
  ],
  "functions as actions of forms": [
    "dispatchActionState",
    "ensureFormComponentIsStateful",
    "extractEvents$1",
    "mountActionState",
    "runActionStateAction",
    "startHostTransition",
    "updateActionStateImpl",
  ],
  onBeforeInput: ["getFallbackBeforeInputChars", "getNativeBeforeInputChars"],
  "elements with a hyphen": ["setPropOnCustomElement"],
};

/** Code of a screen that would use one of them. */
const use = new RegExp(
  [
    /import \{[^}]*\b(?:Activity|SuspenseList|ViewTransition|useActionState)\b[^}]*\} from "react"/,
    /from "react-dom"/,
    /<Fragment\b[^>]*\bref=/,
    /\bprecedence=|<script\b/,
    /\b(?:formAction|action)=\{(?:async )?\(/,
    /\bonBeforeInput\b/,
    /<[a-z]+-[a-z]/,
  ]
    .map(({ source }) => source)
    .join("|"),
);

export function withoutUnusedReact(): Plugin {
  return {
    name: "console:without-unused-react",
    apply: "build",
    applyToEnvironment: ({ name }) => name === "client",
    transform: {
      order: "pre",
      filter: { id: /\/react-dom-client\.production\.js$|\/(?:console\/src|look)\/.+\.tsx?$/ },
      handler(code, id) {
        if (id.endsWith(".js")) return { code: withoutUnused(code), map: null };
        const found = use.exec(code)?.[0];
        if (found)
          this.error(`${id} has \`${found}\`, a part of React that console/src/build/unused-react.ts leaves out.`);
        return undefined;
      },
    },
  };
}

/** The lines stay where they are, so that source maps need no other positions. */
export function withoutUnused(code: string): string {
  if (!code.includes(`"${reactVersion}"`))
    throw new Error(
      `React is not ${reactVersion}. Compare the functions in console/src/build/unused-react.ts with its code.`,
    );
  return Object.values(unusedFunctions)
    .flat()
    .reduce(withoutBody, code)
    .replaceAll(/^FragmentInstance\.prototype\.\w+ = [\s\S]*?^};$/gm, linesOf);
}

/** React asks of some results whether they are null, and of none of these anything else. */
function withoutBody(code: string, name: string): string {
  const whole = new RegExp(`^function ${name.replace("$", "\\$")}\\([\\s\\S]*?^}$`, "m");
  if (!whole.test(code))
    throw new Error(`React has no function ${name}, which console/src/build/unused-react.ts names.`);
  return code.replace(whole, (text) => `function ${name}() { return null; }${linesOf(text)}`);
}

function linesOf(text: string): string {
  return text.replaceAll(/[^\n]/g, "");
}
