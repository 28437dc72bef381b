export { About as default } from "../shared/pages";
