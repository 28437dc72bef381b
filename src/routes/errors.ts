import { HoldfastError } from "#errors";

/** Errors in the names of page files. */
export const routeErrors = {
  twoFilesForOnePath: (path: string, first: string, second: string): HoldfastError =>
    new HoldfastError(
      "two-files-for-one-path",
      `Both src/pages/${first} and src/pages/${second} answer ${path}.`,
      "Rename or remove one of them.",
    ),

  twoFilesForOneRole: (role: string, first: string, second: string): HoldfastError =>
    new HoldfastError(
      "two-files-for-one-role",
      `Both src/pages/${first} and src/pages/${second} are the ${role} of the same folder.`,
      "Keep one of them.",
    ),

  unknownSpecialFile: (file: string): HoldfastError =>
    new HoldfastError(
      "unknown-special-file",
      `src/pages/${file} begins with "_" but is none of the special files.`,
      'Special files are _layout.tsx, _layout.server.ts, _error.tsx, _not-found.tsx and _loading.tsx; put other code into a folder that begins with "_".',
    ),

  misspelledName: (file: string, piece: string): HoldfastError =>
    new HoldfastError(
      "misspelled-page-name",
      `src/pages/${file} has the part "${piece}", which is neither a plain name nor [param], [param=matcher], [[optional]], [...rest] or a (group) folder.`,
      "Write a parameter as [name] with letters, digits, - and _, beginning with a letter, as the whole of a name between two slashes.",
    ),

  restNotLast: (file: string): HoldfastError =>
    new HoldfastError(
      "rest-not-last",
      `src/pages/${file} has something after [...rest].`,
      "[...rest] takes all that is left: make it the last part.",
    ),

  notAMatcher: (name: string, got: unknown): HoldfastError =>
    new HoldfastError(
      "not-a-matcher",
      `The matcher "${name}" of src/matchers.ts is or returned ${typeof got}.`,
      "Make it a function that gets the value as a text and returns true or false, without waiting for anything.",
    ),

  twoOptionals: (file: string): HoldfastError =>
    new HoldfastError(
      "two-optional-parameters",
      `src/pages/${file} has two optional parameters, so an address with one value has two meanings.`,
      "Keep one of them optional. Write a file of its own for the addresses that have both.",
    ),

  optionalBeforeRest: (file: string): HoldfastError =>
    new HoldfastError(
      "optional-before-rest",
      `src/pages/${file} has [...rest] after an optional parameter, so an address with several values has two meanings.`,
      "Make the parameter a required one, or leave it to [...rest].",
    ),

  parameterTwice: (file: string, name: string): HoldfastError =>
    new HoldfastError(
      "parameter-twice",
      `src/pages/${file} names the parameter "${name}" twice.`,
      "Give each parameter of a path its own name.",
    ),
} as const;
