package dev.berth.core.api;

import java.util.List;

/** The tokens of one user, the newest first. */
public record TokenList(List<TokenView> tokens) {}
