package dev.berth.core.api;

/** The answer to {@code GET /api/v1/health}, the only thing told to a caller without an identity. */
public record HealthView(String status, String version) {}
