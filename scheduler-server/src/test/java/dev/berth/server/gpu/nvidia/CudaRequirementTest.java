package dev.berth.server.gpu.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The variables of published images, held against drivers. */
class CudaRequirementTest {
    private static final String EVERY_BRAND =
            "tesla unknown nvidia nvidiartx geforce geforcertx quadro quadrortx titan titanrtx";

    /** As NVIDIA's build of nvidia/cuda writes it: the version, and for older drivers an exception a brand. */
    private static String published(String cuda, int... drivers) {
        return "cuda>=" + cuda
                + Arrays.stream(drivers)
                        .boxed()
                        .flatMap(driver -> Stream.of(EVERY_BRAND.split(" "))
                                .map(brand -> " brand=" + brand + ",driver>=" + driver + ",driver<" + (driver + 1)))
                        .collect(Collectors.joining());
    }

    private static final Map<String, Map<String, String>> IMAGES = Map.of(
            "nvidia/cuda:12.2.2", Map.of("NVIDIA_REQUIRE_CUDA", published("12.2", 470, 525), "CUDA_VERSION", "12.2.2"),
            "nvidia/cuda:11.8.0", Map.of("NVIDIA_REQUIRE_CUDA", published("11.8", 470), "CUDA_VERSION", "11.8.0"),
            "nvidia/cuda:11.4.1",
                    Map.of(
                            "NVIDIA_REQUIRE_CUDA",
                            "cuda>=11.4 brand=tesla,driver>=418,driver<419 brand=tesla,driver>=440,driver<441 driver>=450",
                            "CUDA_VERSION",
                            "11.4.1"),
            "nvidia/cuda:11.1.1",
                    Map.of(
                            "NVIDIA_REQUIRE_CUDA",
                            "cuda>=11.1 brand=tesla,driver>=418,driver<419 brand=tesla,driver>=440,driver<441"
                                    + " brand=tesla,driver>=450,driver<451",
                            "CUDA_VERSION",
                            "11.1.1"),
            "nvidia/cuda:12.8.1", Map.of("NVIDIA_REQUIRE_CUDA", "cuda>=12.8", "CUDA_VERSION", "12.8.1"),
            "toolkit-12.4", Map.of("CUDA_VERSION", "12.4.1"),
            "toolkit-11.0", Map.of("CUDA_VERSION", "11.0.3"),
            "toolkit-13.0", Map.of("CUDA_VERSION", "13.0.0"),
            "toolkit-8.0", Map.of("CUDA_VERSION", "8.0.61"),
            "python:3.12", Map.of("PATH", "/usr/bin"));

    private static boolean runs(String image, String version, String cuda, @Nullable String brand) {
        return new CudaRequirement(IMAGES.getOrDefault(image, Map.of()))
                .refusal(image, new Driver(version, cuda, brand))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "nvidia/cuda:12.2.2, 535.54.03, 12.2, geforcertx, true",
                "nvidia/cuda:12.2.2, 550.90.07, 12.4, -, true",
                "nvidia/cuda:12.2.2, 525.60.13, 12.0, geforcertx, true",
                "nvidia/cuda:12.2.2, 525.60.13, 12.0, -, true",
                "nvidia/cuda:12.2.2, 530.30.02, 12.1, geforcertx, false",
                "nvidia/cuda:12.2.2, 530.30.02, 12.1, -, false",
                "nvidia/cuda:12.2.2, 470.256.02, 11.4, tesla, true",
                "nvidia/cuda:11.8.0, 510.108.03, 11.6, geforce, false",
                "nvidia/cuda:11.8.0, 520.61.05, 11.8, geforce, true",
                "nvidia/cuda:11.4.1, 450.51.06, 11.0, geforce, true",
                "nvidia/cuda:11.4.1, 440.33.01, 10.2, tesla, true",
                "nvidia/cuda:11.4.1, 440.33.01, 10.2, geforce, false",
                "nvidia/cuda:11.4.1, 440.33.01, 10.2, -, true",
                "nvidia/cuda:11.1.1, 450.80.02, 11.0, geforce, false",
                "nvidia/cuda:11.1.1, 450.80.02, 11.0, tesla, true",
                "nvidia/cuda:12.8.1, 535.183.01, 12.2, -, false",
                "nvidia/cuda:12.8.1, 570.00, 12.8, -, true",
                // A newer minor version of the same family, on a driver that may run it.
                "toolkit-12.4, 525.60.13, 12.0, -, true",
                "toolkit-12.4, 520.61.05, 11.8, -, false",
                "toolkit-11.0, 450.51.06, 11.0, -, true",
                "toolkit-11.0, 440.33.01, 10.2, -, false",
                "toolkit-11.0, 570.00, 12.8, -, true",
                "toolkit-13.0, 575.51.03, 12.9, -, false",
                "toolkit-13.0, 580.65.06, 13.0, -, true",
                "toolkit-8.0, 367.48, 8.0, -, true",
                "toolkit-8.0, 352.31, 7.5, -, false",
                "python:3.12, 352.31, 7.5, -, true"
            })
    void publishedImagesRunWhereTheyMay(
            String image, String version, String cuda, @Nullable String brand, boolean runs) {
        assertThat(runs(image, version, cuda, brand)).isEqualTo(runs);
    }

    /** Minor version compatibility begins at 450.80.02, and the driver of an old day comes right before. */
    @Test
    void aFamilyBeginsAtItsExactDriver() {
        CudaRequirement later = new CudaRequirement(Map.of("CUDA_VERSION", "11.2.2"));
        assertThat(later.refusal("i", new Driver("450.51.06", "11.0", null))).isPresent();
        assertThat(later.refusal("i", new Driver("450.80.02", "11.0", null))).isEmpty();
    }

    private static boolean meets(Map<String, String> variables) {
        return new CudaRequirement(variables)
                .refusal("image", new Driver("525.60.13", "12.0", "geforcertx"))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cuda>=12.0 | true",
                "cuda>=12.1 | false",
                "cuda>11.9,cuda<=12.0 | true",
                "cuda!=12.0 | false",
                "cuda=12.0 | true",
                "cuda=12.0.0 | true",
                "cuda>=12.4 driver>=525 | true",
                "cuda>=12.4,driver>=525 | false",
                "driver>=535 cuda>=12.4 | false",
                "brand=GeForceRTX,driver<526 | true",
                "brand!=geforcertx | false",
                "cuda>=12.4   driver>=525 | true",
                "cuda>=12.4,arch>=7.0 | false",
                // What nobody here can judge is the toolkit's to judge.
                "arch>=9.0 | true",
                "cuda>=12.4 arch>=9.0 | true",
                "gibberish | true",
                "cuda>=twelve | true"
            })
    void blanksMeanOrAndCommasAnd(String expression, boolean met) {
        assertThat(meets(Map.of("NVIDIA_REQUIRE_CUDA", expression))).isEqualTo(met);
    }

    @Test
    void allVariablesMustBeMet() {
        assertThat(meets(Map.of("NVIDIA_REQUIRE_CUDA", "cuda>=12.0", "NVIDIA_REQUIRE_DRIVER", "driver>=525")))
                .isTrue();
        assertThat(meets(Map.of("NVIDIA_REQUIRE_CUDA", "cuda>=12.0", "NVIDIA_REQUIRE_DRIVER", "driver>=535")))
                .isFalse();
        assertThat(meets(Map.of("NVIDIA_REQUIRE_JETPACK", "cuda>=99"))).isTrue();
        assertThat(meets(Map.of("NVIDIA_REQUIRE_CUDA", ""))).isTrue();
        assertThat(meets(Map.of("NVIDIA_REQUIRE_CUDA", "", "CUDA_VERSION", "13.0")))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({"true,true", "1,true", "T,true", "yes,false", "false,false", "'',false"})
    void aWordSwitchesItAllOff(String word, boolean met) {
        Map<String, String> variables = new HashMap<>(IMAGES.getOrDefault("nvidia/cuda:12.8.1", Map.of()));
        variables.put("NVIDIA_DISABLE_REQUIRE", word);
        assertThat(meets(variables)).isEqualTo(met);
    }

    @Test
    void aDriverThatNobodyKnowsRefusesNothing() {
        for (Map<String, String> variables : IMAGES.values()) {
            assertThat(new CudaRequirement(variables).refusal("image", Driver.UNKNOWN))
                    .isEmpty();
        }
    }

    @Test
    void theSentenceSaysWhatIsNeededWhatIsThereAndTheWayOut() {
        assertThat(new CudaRequirement(Map.of("NVIDIA_REQUIRE_CUDA", published("12.4", 470)))
                        .refusal("lab/train:2", new Driver("525.60", "12.0", null)))
                .contains(
                        "image lab/train:2 needs CUDA >= 12.4, the driver 525.60 runs at most CUDA 12.0; take an older image"
                                + " or update the driver (NVIDIA_DISABLE_REQUIRE=true runs it all the same)");
        assertThat(new CudaRequirement(Map.of("NVIDIA_REQUIRE_DRIVER", "driver>=" + "9".repeat(9)))
                        .refusal("i", new Driver("525.60", null, null))
                        .orElseThrow())
                .startsWith(
                        "image i needs 'driver>=999999999' (its NVIDIA_REQUIRE_DRIVER), the driver 525.60 is not that;");
    }
}
