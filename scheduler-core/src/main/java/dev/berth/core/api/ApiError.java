package dev.berth.core.api;

import java.util.Map;

/**
 * The form of every refusal.
 *
 * @param code stable, for programs
 * @param message what happened, to what, and what to do next
 * @param details the field, the value and the rule where there are such; empty otherwise
 */
public record ApiError(String code, String message, Map<String, String> details) {}
