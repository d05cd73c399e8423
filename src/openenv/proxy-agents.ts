/** One module, so that the two packages are loaded together, and only if there is a proxy. */
export { HttpProxyAgent } from 'http-proxy-agent';
export { HttpsProxyAgent } from 'https-proxy-agent';
