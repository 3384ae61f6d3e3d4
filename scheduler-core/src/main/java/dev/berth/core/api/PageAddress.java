package dev.berth.core.api;

/**
 * The address at which a browser opens the page as somebody.
 *
 * @param url good for one use; the secret in it is for nobody else
 * @param expiresAt when it opens nothing any more
 */
public record PageAddress(String url, String expiresAt) {}
