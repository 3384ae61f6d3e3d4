package dev.berth.core.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A profile as the API shows it. What is null it does not say.
 *
 * @param preselected whether it is the one that QHub's form would begin with
 * @param access {@code all}, {@code yaml} for the users and groups that the file names, or {@code keycloak} for nobody but
 *     administrators
 * @param environment the names of the variables that it sets, never their values
 * @param unused what the file says of it and means nothing on one machine
 */
public record ProfileView(
        String name,
        String description,
        boolean preselected,
        String access,
        @Nullable Integer gpus,
        @Nullable String gpuType,
        @Nullable Integer cpuMilli,
        @Nullable Integer cpuGuaranteeMilli,
        @Nullable Long memoryBytes,
        @Nullable Long memoryGuaranteeBytes,
        @Nullable Long shmBytes,
        @Nullable String image,
        @Nullable String pull,
        List<String> environment,
        List<String> unused) {}
