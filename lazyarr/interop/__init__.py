"""Exchange with other libraries: DLPack, CUDA arrays, streams, the Array API."""
