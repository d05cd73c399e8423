/** The version of agentenv-framework that gymgen installs and is tested with. In a file that loads nothing. */
export const FRAMEWORK_VERSION = '0.9.1364';
