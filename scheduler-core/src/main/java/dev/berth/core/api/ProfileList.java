package dev.berth.core.api;

import java.util.List;

/**
 * {@code GET /api/v1/profiles}: the profiles that the caller may use, in the order of their file.
 *
 * @param problems what is wrong with the file as it is now, so that the profiles of before count; where, for operators alone
 * @param remarks what else it says, and means nothing here; for operators
 */
public record ProfileList(List<ProfileView> profiles, List<String> problems, List<String> remarks) {}
