export { NotFound as default } from "../shared/pages";
