package dev.berth.core.api;

/**
 * A link that opens the page once, as its maker.
 *
 * @param path what follows the server's address in it; what it holds behind {@code #} is a secret that browsers send nobody
 * @param expiresAt when it opens nothing any more
 */
public record LinkView(String path, String expiresAt) {}
