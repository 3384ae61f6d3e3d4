package dev.berth.core.api;

/**
 * A token that was just made.
 *
 * @param secret what a request carries; it is told this once and kept nowhere
 */
public record CreatedToken(String secret, TokenView token) {}
