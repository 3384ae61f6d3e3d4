package dev.berth.server.profile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The letters of JupyterHub and those of Kubernetes, which differ. */
class AmountsTest {
    @ParameterizedTest
    @CsvSource({
        "1, 1",
        "8589934592, 8589934592",
        "1K, 1024",
        "8M, 8388608",
        "8G, 8589934592",
        "32G, 34359738368",
        "1T, 1099511627776",
        "1.5G, 1610612736",
        "0.5K, 512",
        "0.0015K, 1"
    })
    void memoryHasPowersOf1024(String text, long bytes) {
        assertThat(Amounts.memory(text)).contains(bytes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0",
                "0G",
                "-1G",
                "8g",
                "8k",
                "8Gi",
                "8GiB",
                "8GB",
                "8 G",
                "G",
                "1e9",
                "8P",
                "0.0001K",
                "1.5",
                "99999999999999999999",
                "99999999T",
                "Infinity",
                "NaNG",
                "8,5G",
                "0x10"
            })
    void whatJupyterHubRefusesIsNoMemory(String text) {
        assertThat(Amounts.memory(text)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1",
        "2Gi, 2147483648",
        "2G, 2000000000",
        "64Mi, 67108864",
        "64M, 64000000",
        "1Ki, 1024",
        "1k, 1000",
        "1Ti, 1099511627776",
        "1T, 1000000000000",
        "1Pi, 1125899906842624",
        "1P, 1000000000000000",
        "1Ei, 1152921504606846976",
        "1E, 1000000000000000000",
        "1.5Gi, 1610612736",
        ".5Ki, 512",
        "0.5, 1",
        "1e9, 1000000000",
        "1E3, 1000",
        "1e+3, 1000"
    })
    void aQuantityHasKubernetesLetters(String text, long bytes) {
        assertThat(Amounts.quantity(text)).contains(bytes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "0", "0Gi", "-1Gi", "2gi", "2g", "2K", "2GiB", "2GB", "2 Gi", "100m", "1u", "Gi", ".", "9Ei",
                "1e99", "1e-3"
            })
    void whatIsNoQuantityIsRefused(String text) {
        assertThat(Amounts.quantity(text)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"8, 8000", "7.25, 7250", "0.5, 500", "1.500, 1500", "1.50000, 1500", "0.001, 1", "128, 128000"})
    void cpusAreThousandths(String text, int milli) {
        assertThat(Amounts.cpuMilli(text)).contains(milli);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "0.0", "-1", "500m", "1/2", "0.0001", "1e1", "9999999", "1.", ".5", "eight"})
    void whatIsNoNumberOfCpusIsRefused(String text) {
        assertThat(Amounts.cpuMilli(text)).isEmpty();
    }
}
