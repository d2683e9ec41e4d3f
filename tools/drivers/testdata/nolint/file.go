//nolint:gpumemlint // the whole file
package nolint

import "corpus.test/nolint/pool"

func inFile() int {
	b := pool.Get()
	return b.Len()
}
