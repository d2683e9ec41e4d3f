// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import "testing"

// TestReleaseWords holds names of C functions that end a handle, and names in
// which the word is only letters or asked for.
func TestReleaseWords(t *testing.T) {
	for _, name := range []string{"ggml_free", "cudnnDestroy", "g_object_unref", "glDeleteTextures", "sqlite3_finalize", "nvmlShutdown", "mpz_clear", "at_free", "vips_shutdown", "avcodec_free_context", "xfree"} {
		if !hasWord(name, releaseWords) {
			t.Errorf("%s: no release, want one", name)
		}
	}
	for _, name := range []string{"linalg_determinant", "module_freeze", "at_dropout", "set_watermark", "find_closest", "torch_allclose", "stream_is_closed", "FreeType_Render", "lstm_long_term", "terminal_size"} {
		if hasWord(name, releaseWords) {
			t.Errorf("%s: a release, want none", name)
		}
	}
}
