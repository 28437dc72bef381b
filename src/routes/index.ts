export { fileActions, layoutActions } from "./action-names.ts";
export {
  type AddressRule,
  type AddressRules,
  joinSearch,
  pathBack,
  type RedirectSetting,
  type RewriteSetting,
  readAddressRules,
  writeTargetPath,
} from "./address-rules.ts";
export { problemOfAssets } from "./assets-address.ts";
export { addressBelow, pathBelow } from "./below.ts";
export { type BadPath, type CanonicalPath, canonicalPath } from "./canonical-path.ts";
export { canonicalSlashed } from "./canonical-slashed.ts";
export { checkAddressRules, type OtherAnswers } from "./check-address-rules.ts";
export { configFiles } from "./config-files.ts";
export { type AcceptValue, createFinder } from "./find-route.ts";
export {
  type HrefOptions,
  href,
  type ParamInput,
  redirectAddress,
  type TargetOptions,
  targetAddress,
  typedHref,
} from "./href.ts";
export { type ImageSettings, problemOfImages, type ReadImageSettings, readImageSettings } from "./image-settings.ts";
export type { LanguageAddresses } from "./language-addresses.ts";
export type { LanguageEntry, LanguageTable } from "./language-table.ts";
export {
  addressIn,
  isTranslated,
  type LearnedTexts,
  languageOf,
  languageOfHost,
  type PresentLanguage,
  splitLanguage,
} from "./languages.ts";
export { createMatcher, type Matcher, nameValues, noParams, type RouteMatch } from "./match-route.ts";
export { budgetNames, type PageBudget } from "./page-budget.ts";
export { problemOfExtensions } from "./page-extensions.ts";
export { acceptBy, matchersIn, type ParamMatchers } from "./param-matchers.ts";
export { type LanguageSetting, type LanguageSettings, type ReadLanguages, readLanguages } from "./read-languages.ts";
export { readPageFiles } from "./read-page-files.ts";
export {
  type ReadSearch,
  readSearch,
  readSearchFields,
  type SearchLimits,
  SearchNode,
  searchReadings,
} from "./read-search.ts";
export { readParameter } from "./read-segment.ts";
export { type FolderEntry, fixedPaths, type PathSegment, type RouteEntry, type RouteTable } from "./route-table.ts";
export type { AnySchema, InputOf, OutputOf, TypesOf } from "./schema-types.ts";
export type { SearchInput, SearchValue } from "./search-input.ts";
export { segmentsOfId } from "./segments-of-id.ts";
export { textDirection } from "./text-direction.ts";
export { problemOfTrailingSlash, spellAddress } from "./trailing-slash.ts";
export type {
  ActionRef,
  ActionRefs,
  AfterTarget,
  ContextParams,
  FolderId,
  FreeParams,
  IsPage,
  Language,
  LayoutActions,
  LayoutData,
  LinkNeeds,
  LinkParams,
  LinkSearch,
  LinkTarget,
  LinkText,
  LinkTo,
  LocalsOf,
  PageActions,
  PageData,
  PageId,
  PageParams,
  PageSearch,
  ParamsFor,
  RouteId,
  RouteParams,
  SearchArgument,
  SearchFor,
  SearchProps,
  SocketGives,
  SocketId,
  SocketTakes,
  TargetArgument,
} from "./typed-routes.ts";
export { searchDepth, type WrittenDefaults, withoutDefaults, writeDefaults, writeSearch } from "./write-search.ts";
export { writeParameter, writePathSegment } from "./write-segment.ts";
